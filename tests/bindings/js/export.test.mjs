// A page writes the trained model as ONNX: the bytes of the host, from a session or from a checkpoint.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load, RuntimeFault } from "gradmote";
import { exportModel } from "gradmote/export";

const data = (name) => readFile(new URL(`../data/${name}`, import.meta.url));
const [IMAGE, OTHER, CHECKPOINT, TABLE, EXPECTED] = await Promise.all(
  ["step.mote", "accumulate.gmck", "exported.gmck", "exported.gmex", "exported.onnx"].map(data),
);

test("it has the bytes of the host", async () => {
  const session = await load(IMAGE);
  session.load(CHECKPOINT);
  assert.deepEqual(Buffer.from(exportModel(session, TABLE)), EXPECTED);
  assert.deepEqual(Buffer.from(exportModel(CHECKPOINT, TABLE)), EXPECTED);
});

function isFault(name) {
  return (error) => error instanceof RuntimeFault && error.error === name;
}

function changed(bytes, at, value) {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(value >>> 0, at);
  return copy;
}

/** The same with a right checksum. */
function sealed(table) {
  let crc = -1;
  for (const byte of table.subarray(16)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return changed(table, 12, ~crc);
}

test("what does not belong together is refused", () => {
  for (const [checkpoint, table, name] of [
    [OTHER, TABLE, "WRONG_MODEL"],
    [CHECKPOINT, changed(TABLE, TABLE.length - 4, 7), "BAD_CRC"],
    [CHECKPOINT, TABLE.subarray(0, -1), "TRUNCATED"],
    [CHECKPOINT, new Uint8Array(), "TRUNCATED"],
    [CHECKPOINT, CHECKPOINT, "BAD_MAGIC"],
    [IMAGE, TABLE, "BAD_MAGIC"],
    [CHECKPOINT, changed(TABLE, 4, 2), "BAD_VERSION"],
  ]) {
    assert.throws(() => exportModel(checkpoint, table), isFault(name), name);
  }
});

test("a range outside of the file or the state is refused", () => {
  const first = 40;
  for (const [field, value] of [[0, -1], [1, -4], [2, 3], [3, 1], [4, 0], [4, -1], [5, 1 << 30], [6, 1 << 30], [7, -(2 ** 31)]]) {
    const table = sealed(changed(changed(TABLE, first + 20, 2), first + 4 * field, value));
    assert.throws(() => exportModel(CHECKPOINT, table), isFault("BAD_SECTION"), `field ${field}`);
  }
});
