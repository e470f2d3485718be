// Inference for the compiler: with this package's runtime, it tries models whose exporter fixed the batch size.

import { loadRuntime, Session, type TensorInfo, type View } from "gradmote";

/** What bridge.py expects of a session of the compiled runtime. Tables are JSON. */
interface Inference {
  inputs(): string;
  outputs(): string;
  infer(...values: View[]): View[];
  close(): void;
}

/** Returns a function that opens an image. */
export async function inference(): Promise<(image: Uint8Array) => Inference> {
  const runtime = await loadRuntime({ int8: true }); // the model may be quantized
  return (image) => {
    const session = new Session(image.slice(), runtime);
    const table = (rows: TensorInfo[]) => JSON.stringify(rows);
    return {
      inputs: () => table(session.inputs()),
      outputs: () => table(session.outputs("infer")),
      infer: (...values) => session.infer(...values),
      close: () => session.close(),
    };
  };
}
