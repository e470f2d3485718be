// Quantized models in node. test_int8.py writes the models, and runs this.
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect, DataError, load, loadRuntime, RuntimeFault, Session } from "gradmote";
import { TrainingSession } from "gradmote/training";
import { drawnFor, labels, train } from "./data.mjs";

const data = (name) => new URL(`../data/${name}.mote`, import.meta.url);
const dist = (name) => new URL(`../node_modules/gradmote/dist/${name}`, import.meta.url);
const [IMAGE, FLOATS] = [await readFile(data("narrow-uint8")), await readFile(data("accumulate"))];

test("the module of int8 is chosen for the images that need it, and runs all others too", async () => {
  const small = await loadRuntime(), larger = await loadRuntime({ int8: true });
  assert.throws(() => new Session(IMAGE, small), (error) => error instanceof RuntimeFault && error.error === "BAD_OPCODE");
  assert.equal(new Session(FLOATS, larger).profile, "strict");
  assert.equal((await load(IMAGE)).inputs()[0].dtype, "uint8");
});

test("a folder that has no module of int8 says what its own one lacks", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gradmote-"));
  for (const name of ["gradmote.wasm", "gradmote-simd.wasm"]) await cp(dist(name), join(folder, name));
  for (const open of [load, connect]) {
    const refused = await open(IMAGE, { wasm: folder }).catch((error) => error);
    assert.equal(refused.error, "BAD_OPCODE");
    assert.match(refused.cause.message, /gradmote-int8(-simd)?.wasm cannot be read/);
  }
});

test("views have the types of what they show", async () => {
  const session = await load(IMAGE), kinds = (views) => views.map((view) => view.constructor.name);
  const [input] = session.inputs(), x = drawnFor(input, 1);
  assert.deepEqual(kinds([session.inputView(0), ...session.infer(x), session.parameter("w"), session.parameters(), session.delta()]), [
    "Uint8Array", "Uint8Array", "Int16Array", "Uint8Array", "Uint8Array"]);
  assert.throws(() => session.infer(Float32Array.from(x)), DataError);
  assert.throws(() => session.infer([...x.slice(1), 256]), DataError);
  assert.throws(() => session.setParameters(new Float32Array(session.parameters().length / 4)), DataError);
  assert.throws(() => session.applyDelta(session.delta().slice(1)), DataError);
});

test("train() takes samples of bytes, here and in a worker", async () => {
  const [here, there, same] = [await load(IMAGE), await connect(IMAGE), await load(IMAGE)], count = 8;
  const [input] = here.inputs(), x = drawnFor({ ...input, shape: [count, ...input.shape] }, 1), y = labels(count, 1, 5);
  const size = x.length / count;
  for (let k = 0; k < count; k++) same.step(x.subarray(k * size, (k + 1) * size), y.subarray(k, k + 1));
  for (const session of [here, there]) {
    assert.equal((await session.train({ x, y }))[0].steps, count);
    assert.equal(await session.stateSha256(), same.stateSha256());
  }
  there.close();
});

test("TrainingSession gives and takes parameters as bytes", async () => {
  const all = { checkpointState: IMAGE, trainModel: IMAGE, evalModel: IMAGE, optimizerModel: IMAGE };
  const [one, other] = [await TrainingSession.create(all), await TrainingSession.create(all)];
  train(one.session, 3, 5);
  const found = await one.getContiguousParameters();
  assert.deepEqual([found.type, found.size], ["uint8", await one.getParametersSize()]);
  await other.loadParametersBuffer(found.data);
  assert.deepEqual(other.session.parameters(), one.session.parameters());
});
