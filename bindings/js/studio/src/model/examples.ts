import { GradmoteError, readSource } from "gradmote";
import type { Analysis } from "../compiler/client";
import { openSamples } from "../data/open";
import { openModel } from "./open";

/** A model that comes with the page, and the samples that it learns from. */
export interface Example {
  name: string;
  title: string;
  data: string;
}

const FOLDER = "examples";

/** Returns the examples that lie beside the page. */
export async function listExamples(): Promise<Example[]> {
  return json<Example[]>("index.json");
}

/** Opens an example: its model, and its samples. */
export async function openExample({ name, data: samples }: Example): Promise<void> {
  const [image, onnx, analysis, file] = await Promise.all([
    bytes(`${name}.mote`),
    bytes(`${name}.onnx`),
    json<Analysis>(`${name}.json`),
    bytes(samples),
  ]);
  await openModel({ name: `${name}.mote`, image, onnx, analysis });
  await openSamples([{ path: samples, blob: new Blob([file as BlobPart]) }]);
}

async function bytes(file: string): Promise<Uint8Array> {
  return readSource(new URL(`${FOLDER}/${file}`, document.baseURI), `the example ${file}`);
}

async function json<T>(file: string): Promise<T> {
  try {
    return JSON.parse(new TextDecoder().decode(await bytes(file))) as T;
  } catch (cause) {
    if (cause instanceof GradmoteError) throw cause;
    throw new GradmoteError(`the example ${file} is no JSON`, "build the page again with scons studio", { cause });
  }
}
