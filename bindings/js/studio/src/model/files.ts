import { DataError } from "gradmote";
import { compiler, DEFAULT_OPTIONS } from "../compiler/client";
import { openModel } from "./open";

/** Opens the files that were dropped or chosen: one .mote, or one .onnx, which is compiled. */
export async function openFiles(files: File[]): Promise<void> {
  const [file] = files;
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.mote$/i.test(file.name)) return openModel({ name: file.name, image: bytes });
  if (/\.onnx$/i.test(file.name)) return openOnnx(file.name, bytes);
  throw new DataError(`${file.name} is no model`, "drop a .mote image or a .onnx file");
}

async function openOnnx(name: string, onnx: Uint8Array): Promise<void> {
  await compiler.load();
  const { image, analysis } = await compiler.compile(onnx, DEFAULT_OPTIONS);
  await openModel({ name: name.replace(/\.onnx$/i, ".mote"), image, onnx, analysis });
}
