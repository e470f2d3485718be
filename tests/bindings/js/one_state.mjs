// node one_state.mjs MODEL.mote SAMPLES.bin STATE.gmck simd|plain: goes on from the checkpoint, if there is one,
// trains on the samples, and writes the checkpoint. SAMPLES has the bytes of input and label of each step.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { load } from "gradmote";

const [model, samples, state, form] = process.argv.slice(2);
const session = await load(model, { simd: form === "simd" });
if (existsSync(state)) session.load(readFileSync(state));
const [input] = session.inputs(), [label] = session.labels(), data = new Uint8Array(readFileSync(samples)).buffer;
for (let at = 0; at < data.byteLength; at += input.size + label.size) {
  const x = new Float32Array(data, at, input.size / 4), y = new Int32Array(data, at + input.size, label.size / 4);
  session.step(x, y);
}
writeFileSync(state, session.save());
