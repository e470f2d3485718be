// node narrow.mjs PORT MODEL DTYPE: trains a model of 8-bit or 16-bit integers on the board at a TCP port, and prints
// the results.
import { readFileSync } from "node:fs";
import { Board } from "gradmote/serial";
import { tcp } from "./tcp.mjs";

const [port, model, dtype] = process.argv.slice(2), Elements = { int8: Int8Array, uint8: Uint8Array }[dtype];
const NUMBERS = [0, 37, 74, 11, 48, 85], x = Elements.from(NUMBERS);
const board = await Board.open(await tcp(port), { place: "the board" });
const hex = (bytes) => Buffer.from(bytes).toString("hex");
async function refused(call) {
  try {
    await call();
    return "was taken";
  } catch (error) {
    return `${error.constructor.name}: ${error.message}`;
  }
}

await board.loadImage(new Uint8Array(readFileSync(model)));
const told = { dtypes: [], initial: hex(await board.parameters()) };
for (const role of ["input", "output"]) {
  const { dtype, size } = await board.describe("infer", role, 0);
  told.dtypes.push([dtype, size]);
}
const scores = [];
for (const form of [x, NUMBERS, Int32Array.from(NUMBERS), x.buffer]) scores.push(...(await board.infer(form)));
told.scores = scores.map((view) => [view.constructor.name, [...view]]);
told.wrong = [];
for (const form of [Float32Array.from(NUMBERS), NUMBERS.map((n) => n + 300), x.subarray(1)]) told.wrong.push(await refused(() => board.infer(form)));
told.signs = await refused(() => board.write("input", 0, dtype === "int8" ? new Uint8Array(6).fill(200) : new Int8Array(6).fill(-1)));
await board.step(x, [2]);
told.trained = hex(await board.parameters());
const samples = { x: Elements.of(...x, ...x), y: Int32Array.of(1, 1) };
told.predicted = [...(await board.predict(samples))];
told.accuracy = (await board.evaluate(samples)).accuracy;
await board.train({ ...samples, epochs: 2 });
told.state = hex(await board.state());
told.bytes = [...(await board.predict({ x: Uint8Array.from(NUMBERS, (n) => n + 20), zero: 20 }))];
told.floats = await refused(() => board.train({ ...samples, x: Float32Array.from([...x, ...x]) }));
await board.learn(3, x);
told.store = await board.store();
await board.close();
console.log(JSON.stringify(told));
