// node run.mjs PORT FOLDER PART...: puts the board at a TCP port through parts of the course, and prints what came of it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Board } from "gradmote/serial";
import * as course from "./course.mjs";
import { noisy } from "./noise.mjs";
import { tcp } from "./tcp.mjs";

const [port, folder, ...parts] = process.argv.slice(2), results = {};
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
const line = await tcp(port), noise = parts[0] === "noise" ? noisy(line, Number(parts.splice(0, 2)[1])) : undefined;
const board = await Board.open(noise ?? line, { place: "the emulated board" });
for (const part of parts) results[part] = await course[part](board, files);
results.retries = board.retries;
results.damage = noise?.damage;
await board.close();
console.log(JSON.stringify(results));
