// Opens files as models: a .mote as it is, a .onnx after the compiler in the page has compiled it.

import { signal } from "@preact/signals";
import { DataError, GradmoteError } from "gradmote";
import { compiler, DEFAULT_OPTIONS, type CompileOptions } from "../compiler/client";
import { inform } from "../notice";
import { model } from "../state";
import { openModel } from "./open";

interface Onnx {
  name: string;
  bytes: Uint8Array;
}

/** The ONNX file, which is compiled when the user asks for it; it stays even if compiling fails. */
export const onnx = signal<Onnx | null>(null);
/** The options for compiling it. */
export const options = signal<CompileOptions>(DEFAULT_OPTIONS);
export const compiling = signal(false);

/** Changes some of the options. */
export function choose(some: Partial<CompileOptions>): void {
  options.value = { ...options.value, ...some };
}

/** Opens the dropped or chosen files: one .mote, or one .onnx, which is compiled. */
export async function openFiles(files: File[]): Promise<void> {
  const file = files.find(({ name }) => /\.(mote|onnx)$/i.test(name)) ?? files[0];
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.onnx$/i.test(file.name)) return openOnnx(file.name, bytes);
  if (!/\.mote$/i.test(file.name)) throw new DataError(`${file.name} is not a model`, "drop a .mote image or a .onnx file");
  await openModel({ name: file.name, image: bytes });
  onnx.value = null;
  inform(`Opened ${file.name}`);
}

async function openOnnx(name: string, bytes: Uint8Array): Promise<void> {
  onnx.value = { name, bytes };
  await compileAgain();
}

/** Compiles the ONNX file with the options, and opens the image. */
export async function compileAgain(): Promise<void> {
  const given = onnx.value, chosen = { ...options.value, scheme: options.value.scheme || "full" };
  if (!given) throw new GradmoteError("there is no ONNX file to compile", "drop one");
  if (compiling.value) throw new GradmoteError("a model is being compiled", "wait until it is done");
  compiling.value = true;
  try {
    const { image, analysis } = await compiler.compile(given.bytes, chosen, given.name);
    const name = given.name.replace(/\.onnx$/i, ".mote");
    await openModel({ name, image, onnx: given.bytes, analysis, options: chosen });
    inform(`Compiled ${given.name} to ${image.length.toLocaleString("en")} bytes`);
  } finally {
    compiling.value = false;
  }
}

/** Asks the compiler for the report on an image that came without one. */
export async function analyzeOpened(): Promise<void> {
  const asked = model.value;
  if (!asked) return;
  compiling.value = true;
  try {
    const analysis = await compiler.analyze(asked.image, asked.name);
    if (model.value === asked) model.value = { ...asked, analysis };
  } finally {
    compiling.value = false;
  }
}
