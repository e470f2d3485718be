// node same_models.mjs FOLDER simd|plain: trains the models of a folder, and prints the digests of their states as JSON.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "gradmote";
import { trainAll } from "./models.mjs";

const [folder, form] = process.argv.slice(2);
const list = JSON.parse(await readFile(join(folder, "models.json")));
console.log(JSON.stringify(await trainAll((name) => load(join(folder, name), { simd: form === "simd" }), list)));
