// node timed.mjs simd|plain [MODULES]: the npm package, for bench.speed. It reads requests, a line of JSON each, and
// answers with a line, as bench/speed/children/serve.py does. MODULES is a folder of modules that replace its own.
//
// {"open": {"folder", "image", "rate", "x", "y"}}  opens a session; x and y are one batch
// {"version": 1}      answers the version of node
// {"check": n}        runs n steps; answers their losses
// {"time": n}         runs n steps; answers the seconds of CPU time that all threads of the process took
// {"instructions": n} runs n steps; answers the least seconds that each instruction took

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { loadRuntime, Session } from "gradmote";

const [form, wasm] = process.argv.slice(2);
const runtime = await loadRuntime({ simd: form === "simd", wasm });
let session, x, y;

const ANSWERS = {
  open({ folder, image, rate, x: inputs, y: labels }) {
    session?.close();
    session = new Session(readFileSync(join(folder, image)), runtime);
    session.learningRate = rate;
    [x, y] = [Float32Array.from(inputs), Int32Array.from(labels)];
  },
  version: () => process.versions.node,
  check: (count) => Array.from({ length: count }, () => [session.step(x, y)]),
  time(count) {
    const start = process.cpuUsage();
    for (let i = 0; i < count; i++) session.step(x, y);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  },
  instructions(count) {
    const runs = Array.from({ length: count }, secondsOfEach);
    return runs[0].map((_, i) => Math.min(...runs.map((run) => run[i])));
  },
};

/** Runs one step, an instruction at a time. */
function secondsOfEach() {
  const seconds = [];
  session.setInput(0, x);
  session.setLabel(0, y);
  session.begin("step");
  for (let ended = false; !ended; ) {
    const start = performance.now();
    ended = session.run(1);
    seconds.push((performance.now() - start) / 1e3);
  }
  return seconds;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [[name, value]] = Object.entries(JSON.parse(line));
  console.log(JSON.stringify(ANSWERS[name](value) ?? null));
}
