// node sizes.mjs [NAME...]: prints what files of the package take under brotli.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
const dist = new URL("../node_modules/gradmote/dist/", import.meta.url);
const asked = process.argv.slice(2), names = asked.length ? asked : ["gradmote-simd.wasm", "gradmote.wasm", "gradmote.min.js", "training.min.js"];
console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, brotliCompressSync(readFileSync(new URL(name, dist))).length]))));
