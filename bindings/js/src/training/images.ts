import { DataError, GradmoteError, readSource, type Source } from "../index.js";

const MAGIC = { image: "MOTE", checkpoint: "GMCK" };

/** Returns the bytes of an image. Throws DataError for an ONNX model or another file. */
export async function readImage(source: Source, what: string): Promise<Uint8Array> {
  const bytes = await readSource(source, what);
  if (magic(bytes) === MAGIC.image) return bytes;
  throw new DataError(`${what} is not a .mote image`, "compile the ONNX model: gradmote compile model.onnx -o model.mote --loss cross_entropy");
}

/** Returns the bytes of a checkpoint; undefined for an image, which stands for its own initial state. */
export async function readCheckpoint(source: Source): Promise<Uint8Array | undefined> {
  const bytes = await readSource(source, "the checkpoint");
  if (magic(bytes) === MAGIC.image) return undefined;
  if (magic(bytes) === MAGIC.checkpoint) return bytes;
  throw new DataError("the checkpoint is neither a .gmck checkpoint nor a .mote image", "pass what Session.save() returned, or the image");
}

function magic(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

/** Throws GradmoteError if an image does not train. */
export function requireTraining(programs: readonly string[]): void {
  if (programs.includes("eval") && (programs.includes("optimizer") || programs.includes("step"))) return;
  throw new GradmoteError("the image only infers", "compile the ONNX model with a loss and an optimizer");
}
