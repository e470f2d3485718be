import { bytesOf, type Bytes } from "./bytes.js";
import { RuntimeFault } from "./errors.js";
import { ERRORS, type ErrorName } from "./generated/errors.js";

/** What learned: a session, or a checkpoint of it, also one that a board sent. */
export type Learned = { save(): Uint8Array } | Bytes;

const MAGIC = 0x58454d47, VERSION = 1;
/** Bytes of the header and of a range; the first byte that the checksum covers, and that of the model's id. */
const HEADER = 40, RANGE = 32, COVERED = 16, MODEL_ID = 16;
/** Words of a checkpoint's header, and its first words, which are encoded as in the state if it is plain. */
const CHECKPOINT_MAGIC = 0x4b434d47, STATE_SIZE = 10, ENCODING = 11, PLAIN = 0;
/** Kinds of ranges. */
const WORD = 0, UNSIGNED = 2, KINDS = 3;

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
  for (let at = 0; at < ranges.byteLength; at += RANGE) end = put(out, end, state, ranges, at);
  return out;
}

/** Returns the state in a plain checkpoint. */
function stateOf(checkpoint: Uint8Array): Uint8Array {
  const header = viewOf(checkpoint);
  if (checkpoint.length < 48) throw fault("TRUNCATED");
  if (word(header, 0) !== CHECKPOINT_MAGIC) throw fault("BAD_MAGIC");
  if (word(header, ENCODING) !== PLAIN || word(header, STATE_SIZE) > checkpoint.length) throw fault("BAD_VERSION");
  return checkpoint.subarray(checkpoint.length - word(header, STATE_SIZE));
}

/** Checks a table's header, and returns its ranges and the model's file. */
function partsOf(table: Uint8Array, checkpoint: Uint8Array): [DataView, Uint8Array] {
  const header = viewOf(table);
  if (table.length < HEADER || word(header, 2) > table.length) throw fault("TRUNCATED");
  if (word(header, 0) !== MAGIC) throw fault("BAD_MAGIC");
  if (word(header, 1) !== VERSION) throw fault("BAD_VERSION");
  const size = word(header, 2), start = HEADER + RANGE * word(header, 8);
  if (start + word(header, 9) !== size) throw fault("BAD_SECTION");
  if (crc32(table.subarray(COVERED, size)) !== word(header, 3)) throw fault("BAD_CRC");
  const isOther = (at: number) => table[MODEL_ID + at] !== checkpoint[MODEL_ID + at];
  if ([...Array(16).keys()].some(isOther)) throw fault("WRONG_MODEL");
  return [viewOf(table.subarray(HEADER, start)), table.subarray(start, size)];
}

/** Puts the numbers of one range into the file, and returns its end. `before`: the end of the range before it. */
function put(out: Uint8Array, before: number, state: Uint8Array, ranges: DataView, place: number): number {
  const field = (at: number) => ranges.getUint32(place + 4 * at, true), signed = (at: number) => ranges.getInt32(place + 4 * at, true);
  const [at, source, kind] = [field(0), field(1), field(2)], [columns, rows] = [field(4), field(5)];
  const width = kind === WORD ? 4 : 1, end = at + width * columns * rows, add = signed(3);
  if (kind >= KINDS || at < before || end > out.length || end === at || (kind === WORD && add !== 0)) throw fault("BAD_SECTION");
  for (let row = 0, to = at; row < rows; row++) {
    for (let column = 0; column < columns; column++, to += width) {
      const from = source + row * signed(7) + column * signed(6);
      if (from < 0 || from + width > state.length) throw fault("BAD_SECTION");
      if (kind === WORD) out.set(state.subarray(from, from + 4), to);
      else out[to] = fitting(((state[from] << 24) >> 24) + add, kind === UNSIGNED ? 0 : -128);
    }
  }
  return end;
}

function fitting(integer: number, lowest: number): number {
  if (integer < lowest || integer > lowest + 255) throw fault("DOES_NOT_FIT");
  return integer;
}

function word(view: DataView, at: number): number {
  return view.getUint32(4 * at, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function fault(name: ErrorName): RuntimeFault {
  return new RuntimeFault(ERRORS[name][0], "export");
}

function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
