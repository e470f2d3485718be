import { DataError, GradmoteError, readSource, type Source } from "../index.js";

const MAGIC = { image: "MOTE", checkpoint: "GMCK" };

/** Returns the bytes of an image. Throws DataError for an ONNX model or another file. */
export async function readImage(source: Source, what: string): Promise<Uint8Array> {
  const bytes = await readSource(source, what);
  if (magic(bytes) === MAGIC.image) return bytes;
  throw new DataError(`${what} is no .mote image`, "compile the ONNX model: gradmote compile model.onnx -o model.mote --accumulate");
}

/** Returns the bytes of a checkpoint; undefined for an image, whose own initial state is meant. */
export async function readCheckpoint(source: Source): Promise<Uint8Array | undefined> {
  const bytes = await readSource(source, "the checkpoint");
  if (magic(bytes) === MAGIC.image) return undefined;
  if (magic(bytes) === MAGIC.checkpoint) return bytes;
  throw new DataError("the checkpoint is neither a .gmck checkpoint nor a .mote image", "pass what Session.save() returned, or the image");
}

function magic(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

/** Throws GradmoteError where an image lacks programs that a training session runs. */
export function requirePrograms(programs: readonly string[], wanted: readonly string[]): void {
  const missing = wanted.filter((program) => !programs.includes(program));
  if (!missing.length) return;
  const hint = "compile the model with a loss, an optimizer and --accumulate, or train it with Session.step()";
  throw new GradmoteError(`the image has no program ${missing.join(" and no program ")}`, hint);
}
