// Reads the files of each case in Chromium, which decodes pictures, and returns what was found or refused. BUNDLE is
// that of read_cases.mjs, and CASES as it has them.

import { readFile } from "node:fs/promises";
import { openStudio, values } from "./studio.mjs";

const [bundle, asked] = values;
const cases = JSON.parse(await readFile(asked, "utf8")), files = cases.flatMap((one) => one.files.map(({ file }) => file));
const other = async (path) => {
  if (path === "/tests/data.js") return readFile(bundle);
  return path.startsWith("/tests/file/") ? readFile(files[Number(path.slice("/tests/file/".length))]) : undefined;
};
const studio = await openStudio({ other });
let number = 0;
for (const one of cases) one.files = one.files.map(({ path }) => ({ path, address: `/tests/file/${number++}` }));
const found = await studio.page.evaluate(async (cases) => {
  const { readSamples, decodeByCanvas, partsOf, problems, PLAIN } = await import("/tests/data.js");
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const digest = async (array) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", array)));
  const part = async ({ x, y, count }) => ({ x: await digest(x), y: await digest(y), count });
  const told = async (data, model) => {
    const { y, sampleShape, labelShape, classes, notes } = data, [problem] = model ? problems(data, model) : [];
    const kind = y instanceof Float32Array ? "float32" : "int32", misfit = problem && { text: problem.text, hint: problem.hint };
    const [train, test] = await Promise.all(partsOf(data).map((one) => part(one.part)));
    return { ...train, kind, sampleShape, labelShape, classes, notes, test: test ?? null, misfit };
  };
  const found = {};
  for (const { name, files, reading, model } of cases) {
    const sources = [];
    for (const { path, address } of files) sources.push({ path, blob: await (await fetch(address)).blob() });
    const read = readSamples(sources, { reading: { ...PLAIN, ...reading }, decode: decodeByCanvas });
    found[name] = await read.then((data) => told(data, model), ({ name, text, hint }) => ({ error: { name, text, hint } }));
  }
  return found;
}, cases);
await studio.end({ found });
