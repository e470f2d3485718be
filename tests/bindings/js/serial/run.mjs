// node run.mjs PORT FOLDER PART...: puts the board at a TCP port through parts of the course, and prints the results.
// "patient" in front of the parts: do not ask twice because the computer is slow. "noise SEED": the line corrupts
// bytes.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runAt } from "./clock.mjs";

const [port, folder, ...parts] = process.argv.slice(2), results = {};
if (parts[0] === "patient") {
  parts.shift();
  runAt(1 / 60);
}
const { Board } = await import("gradmote/serial");
const course = await import("./course.mjs"), { noisy } = await import("./noise.mjs"), { tcp } = await import("./tcp.mjs");
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
const line = await tcp(port), noise = parts[0] === "noise" ? noisy(line, Number(parts.splice(0, 2)[1])) : undefined;
const board = await Board.open(noise ?? line, { place: "the emulated board" });
for (const part of parts) results[part] = await course[part](board, files);
results.retries = board.retries;
results.damage = noise?.damage;
await board.close();
console.log(JSON.stringify(results));
