// node same_state.mjs MODEL.mote STEPS simd|plain [CLASSES [MODULES]]: trains a model, and prints the digest of its
// checkpoint. MODULES is a folder of modules that replace the package's own.

import { createHash } from "node:crypto";
import { load } from "gradmote";
import { train } from "./data.mjs";

const [model, steps, form, classes = 10, wasm] = process.argv.slice(2);
const session = await load(model, { simd: form === "simd", wasm });
const loss = train(session, Number(steps), Number(classes));
console.log(`node ${loss.toFixed(6)} ${createHash("sha256").update(session.save()).digest("hex")}`);
