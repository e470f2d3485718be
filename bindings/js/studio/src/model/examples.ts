import { GradmoteError, readSource } from "gradmote";
import { DEFAULT_OPTIONS, type Analysis } from "../compiler/client";
import { openSamples } from "../data/open";
import { onnx as source, options } from "./files";
import { openModel } from "./open";

/** A model that comes with the page, and the samples to train it on. */
export interface Example {
  name: string;
  title: string;
  text: string;
  data: string;
}

const FOLDER = "examples";

/** Returns the examples in the page's folder. */
export async function listExamples(): Promise<Example[]> {
  return readJson<Example[]>("index.json");
}

/** Opens an example: its model, and its samples. */
export async function openExample({ name, data: samples }: Example): Promise<void> {
  const [image, onnx, analysis, file] = await Promise.all([
    bytes(`${name}.mote`),
    bytes(`${name}.onnx`),
    readJson<Analysis>(`${name}.json`),
    bytes(samples),
  ]);
  await openModel({ name: `${name}.mote`, image, onnx, analysis });
  source.value = { name: `${name}.onnx`, bytes: onnx };
  options.value = DEFAULT_OPTIONS; // the options in examples.py
  await openSamples([{ path: samples, blob: new Blob([file as BlobPart]) }]);
}

async function bytes(file: string): Promise<Uint8Array> {
  return readSource(new URL(`${FOLDER}/${file}`, document.baseURI), `the example ${file}`);
}

/** Reads a file from the folder of examples. */
export async function readJson<T>(file: string): Promise<T> {
  try {
    return JSON.parse(new TextDecoder().decode(await bytes(file))) as T;
  } catch (cause) {
    if (cause instanceof GradmoteError) throw cause;
    throw new GradmoteError(`the example ${file} is not JSON`, "build the page again with scons studio", { cause });
  }
}
