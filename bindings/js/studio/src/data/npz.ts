import { GradmoteError } from "gradmote";
import { unzipSync } from "fflate";
import type { Dataset } from "./dataset";

interface Numbers {
  shape: number[];
  values: Float32Array | Int32Array;
}

/** Returns the samples of an .npz file: x, y, and the names in classes where it has them. */
export function readNpz(name: string, bytes: Uint8Array): Dataset {
  const files = unzipSync(bytes);
  const x = readNpy(files["x.npy"], "x"), y = readNpy(files["y.npy"], "y");
  const count = x.shape[0] ?? 0, labels = Array.from(y.values);
  return {
    name,
    x: Float32Array.from(x.values),
    y: y.values,
    count,
    sampleShape: x.shape.slice(1),
    labelShape: y.shape.slice(1),
    classes: y.values instanceof Int32Array ? named(labels) : [],
    notes: [],
  };
}

/** Returns the numbers from 0 to the highest class, as names. */
function named(labels: number[]): string[] {
  const highest = labels.reduce((most, label) => Math.max(most, label), 0);
  return Array.from({ length: highest + 1 }, (_, label) => String(label));
}

function readNpy(bytes: Uint8Array | undefined, name: string): Numbers {
  if (!bytes) throw new GradmoteError(`there is no array ${name}`, "write the file with numpy.savez(file, x=..., y=...)");
  const view = new DataView(bytes.buffer, bytes.byteOffset), start = 10 + view.getUint16(8, true);
  const header = new TextDecoder().decode(bytes.subarray(10, start));
  const shape = (/'shape': \(([^)]*)\)/.exec(header)?.[1] ?? "").split(",").filter((part) => part.trim()).map(Number);
  const body = bytes.slice(start).buffer;
  if (header.includes("'<f4'")) return { shape, values: new Float32Array(body) };
  if (header.includes("'<i4'")) return { shape, values: new Int32Array(body) };
  throw new GradmoteError(`array ${name} is neither float32 nor int32`, "convert it with astype");
}
