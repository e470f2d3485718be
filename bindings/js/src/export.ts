import { bytesOf, type Bytes } from "./bytes.js";
import { crc32 } from "./crc32.js";
import { RuntimeFault } from "./errors.js";
import { ERRORS, type ErrorName } from "./generated/errors.js";
import {
  Checkpoint, CHECKPOINT_MAGIC, ENCODING, EXPORT_KIND, EXPORT_MAGIC, EXPORT_VERSION, ExportHeader, ExportRange,
} from "./generated/records.js";

/** What learned: a session, or a checkpoint of it, also one that a board sent. */
export type Learned = { save(): Uint8Array } | Bytes;

const PLAIN = ENCODING.indexOf("plain"), WORD = EXPORT_KIND.indexOf("word"), U8 = EXPORT_KIND.indexOf("u8");

/**
 * Returns the trained model as an ONNX file: what `gradmote export` writes, byte for byte.
 *
 * table: the model's export table (.gmex), which `gradmote compile --export-table` writes. Throws RuntimeFault if it is
 * another model's, or damaged.
 */
export function exportModel(learned: Learned, table: Bytes): Uint8Array {
  const checkpoint = "save" in learned ? learned.save() : bytesOf(learned, "the checkpoint");
  const bytes = bytesOf(table, "the export table");
  const state = stateOf(checkpoint), [ranges, model] = partsOf(bytes, checkpoint);
  const out = model.slice();
  let end = 0;
  for (let at = 0; at < ranges.byteLength; at += ExportRange.sizeof) end = put(out, end, state, ranges, at);
  return out;
}

/** Returns the state in a plain checkpoint. */
function stateOf(checkpoint: Uint8Array): Uint8Array {
  if (checkpoint.length < Checkpoint.sizeof) throw fault("TRUNCATED");
  const field = fieldsOf(checkpoint), size = field(Checkpoint.stateSize), end = field(Checkpoint.size);
  if (field(Checkpoint.magic) !== CHECKPOINT_MAGIC) throw fault("BAD_MAGIC");
  if (end > checkpoint.length) throw fault("TRUNCATED");
  if (field(Checkpoint.encoding) !== PLAIN || size > end) throw fault("BAD_VERSION");
  return checkpoint.subarray(end - size, end);
}

/** Checks a table's header, and returns its ranges and the model's file. */
function partsOf(table: Uint8Array, checkpoint: Uint8Array): [DataView, Uint8Array] {
  if (table.length < ExportHeader.sizeof) throw fault("TRUNCATED");
  const field = fieldsOf(table), size = field(ExportHeader.size);
  if (size > table.length) throw fault("TRUNCATED");
  if (field(ExportHeader.magic) !== EXPORT_MAGIC) throw fault("BAD_MAGIC");
  if (field(ExportHeader.version) !== EXPORT_VERSION) throw fault("BAD_VERSION");
  const start = ExportHeader.sizeof + ExportRange.sizeof * field(ExportHeader.ranges);
  if (start + field(ExportHeader.modelSize) !== size) throw fault("BAD_SECTION");
  if (crc32(table.subarray(ExportHeader.modelId, size)) !== field(ExportHeader.crc)) throw fault("BAD_CRC");
  const isOther = (at: number) => table[ExportHeader.modelId + at] !== checkpoint[Checkpoint.modelId + at];
  if ([...Array(16).keys()].some(isOther)) throw fault("WRONG_MODEL");
  return [viewOf(table.subarray(ExportHeader.sizeof, start)), table.subarray(start, size)];
}

/** Puts the numbers of one range into the file, and returns its end. `before`: the end of the range before it. */
function put(out: Uint8Array, before: number, state: Uint8Array, ranges: DataView, place: number): number {
  const field = (at: ExportRange) => ranges.getUint32(place + at, true);
  const signed = (at: ExportRange) => ranges.getInt32(place + at, true);
  const [at, source, kind] = [field(ExportRange.at), field(ExportRange.source), field(ExportRange.kind)];
  const [columns, rows, add] = [field(ExportRange.columns), field(ExportRange.rows), signed(ExportRange.add)];
  const [step, rowStep] = [signed(ExportRange.step), signed(ExportRange.rowStep)];
  const width = kind === WORD ? 4 : 1, end = at + width * columns * rows;
  if (kind >= EXPORT_KIND.length || at < before || end > out.length || end === at || (kind === WORD && add !== 0)) throw fault("BAD_SECTION");
  for (let row = 0, to = at; row < rows; row++) {
    for (let column = 0; column < columns; column++, to += width) {
      const from = source + row * rowStep + column * step;
      if (from < 0 || from + width > state.length) throw fault("BAD_SECTION");
      if (kind === WORD) out.set(state.subarray(from, from + 4), to);
      else out[to] = fitting(((state[from] << 24) >> 24) + add, kind === U8 ? 0 : -128);
    }
  }
  return end;
}

function fitting(integer: number, lowest: number): number {
  if (integer < lowest || integer > lowest + 255) throw fault("DOES_NOT_FIT");
  return integer;
}

/** Returns a function that reads a u32 at an offset. */
function fieldsOf(bytes: Uint8Array): (at: number) => number {
  const view = viewOf(bytes);
  return (at) => view.getUint32(at, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function fault(name: ErrorName): RuntimeFault {
  return new RuntimeFault(ERRORS[name][0], "export");
}
