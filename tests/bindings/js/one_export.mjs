// node one_export.mjs MODEL.mote SAMPLES.bin TABLE.gmex TRAINED.onnx simd|plain: trains on the samples, and exports.
// SAMPLES has the bytes of input and label of each step.

import { readFileSync, writeFileSync } from "node:fs";
import { load } from "gradmote";
import { exportModel } from "gradmote/export";

const [model, samples, table, trained, form] = process.argv.slice(2);
const session = await load(model, { simd: form === "simd" });
const [input] = session.inputs(), [label] = session.labels(), data = new Uint8Array(readFileSync(samples)).buffer;
for (let at = 0; at < data.byteLength; at += input.size + label.size) {
  const x = new Float32Array(data, at, input.size / 4), y = new Int32Array(data, at + input.size, label.size / 4);
  session.step(x, y);
}
writeFileSync(trained, exportModel(session, readFileSync(table)));
