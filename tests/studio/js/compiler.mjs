// The compiler's worker with a release of Pyodide: compiles, analyzes, exports and refuses. VALUES: the folder of
// Pyodide, and a JSON file with the cases: { compile: [[name, onnx, options]], export: [image, onnx, checkpoint], ... }.

import { readFile } from "node:fs/promises";
import { openStudio, values } from "./studio.mjs";
import { pyodideElsewhere, startWorker } from "./pyodide.mjs";

const [folder, file] = values;
const cases = JSON.parse(await readFile(file, "utf8"));
const bytes = async (path) => [...(await readFile(path))];
const hex = (numbers) => Buffer.from(numbers).toString("base64");

const studio = await openStudio({ other: await pyodideElsewhere(folder) });
const ask = await startWorker(studio.page);
const compiled = [];
for (const [name, onnx, options] of cases.compile) {
  const answer = await ask("compile", name, await bytes(onnx), JSON.stringify(options));
  compiled.push(answer.failure ? answer : { image: hex(answer.image), analysis: JSON.parse(answer.analysis) });
}
const analyzed = JSON.parse((await ask("analyze", "small.mote", await bytes(cases.image), "null")).analysis);
const exported = await ask("export", ...(await Promise.all(cases.export.map(bytes))));
const refused = await ask("export", ...(await Promise.all(cases.refused.map(bytes))));
const progress = await studio.page.evaluate(() => progress);
await studio.end({ compiled, analyzed, exported: hex(exported.onnx ?? []), refused, progress });
