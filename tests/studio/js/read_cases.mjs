// node read_cases.mjs BUNDLE CASES: reads the files of each case by the studio's modules, and prints what was found or
// refused as JSON. CASES: [{name, files: [{path, file}], reading, model}]; `file` is the path of the bytes, and `model`
// what a model takes.

import { createHash } from "node:crypto";
import { openAsBlob, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, cases] = process.argv.slice(2);
const { readSamples, partsOf, problems, PLAIN } = await import(pathToFileURL(bundle).href);

const digest = (array) => createHash("sha256").update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)).digest("hex");
const kind = (array) => (array instanceof Float32Array ? "float32" : "int32");
const refuse = () => Promise.reject(new Error("node decodes no pictures"));

function told(data) {
  const { y, sampleShape, labelShape, classes, notes, columns } = data;
  const [train, test] = partsOf(data).map(({ part }) => ({ x: digest(part.x), y: digest(part.y), count: part.count }));
  return { ...train, kind: kind(y), sampleShape, labelShape, classes, notes, columns, test };
}

/** Returns the first reason why the model cannot be trained on the samples. */
function misfit(data, model) {
  const [problem] = model ? problems(data, model) : [];
  return problem && { text: problem.text, hint: problem.hint };
}

const found = {};
for (const { name, files, reading, model } of JSON.parse(readFileSync(cases, "utf8"))) {
  const sources = await Promise.all(files.map(async ({ path, file }) => ({ path, blob: await openAsBlob(file) })));
  const read = readSamples(sources, { reading: { ...PLAIN, ...reading }, decode: refuse });
  found[name] = await read.then(
    (data) => ({ ...told(data), misfit: misfit(data, model) }),
    ({ name, text, hint }) => ({ error: { name, text, hint } }),
  );
}
console.log(JSON.stringify(found));
