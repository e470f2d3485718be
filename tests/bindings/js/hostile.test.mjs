// Bad input of every kind ends in a clear error, and the next good call works.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as gradmote from "gradmote";
import * as ort from "gradmote/training";
import { persist } from "gradmote/storage";
import { drawn, labels } from "./data.mjs";
import { damages, detached, goodStep, STRANGE, strangeCalls, told, unclear } from "./hostile.mjs";

const { connect, load, loadRuntime, Session } = gradmote;
const data = (name) => new URL(`../data/${name}`, import.meta.url);
const dist = new URL("../node_modules/gradmote/dist/", import.meta.url);
const IMAGE = await readFile(data("step.mote")), OTHER = await readFile(data("accumulate.mote"));
const GOOD = goodStep(await load(IMAGE));
const isClear = (error) => !assert.equal(unclear(error, gradmote), "");
const all = (model) => ({ checkpointState: model, trainModel: model, evalModel: model, optimizerModel: model });

test("every method of a session refuses what it cannot use", async () => {
  const session = await load(IMAGE);
  assert.deepEqual(await strangeCalls(session, gradmote, 3000, ["close", "train"]), []);
  for (const call of [() => session.step(detached(), [1, 2, 3, 4]), () => session.load(detached()), () => session.setParameters(detached()), () => new Session(detached())]) {
    assert.throws(call, isClear);
  }
  assert.equal(goodStep(session), GOOD);
});

test("every method of a session in a worker refuses what it cannot use", async () => {
  const remote = await connect(IMAGE), own = ["step", "infer", "setInput", "learn", "load", "setParameters", "train", "classify", "nothing", "set", "get"];
  for (const name of own) {
    for (const value of STRANGE) {
      assert.equal(await told(() => remote[name](value, value), gradmote), "", `${name}(${String(value)})`);
    }
  }
  await remote.abort();
  await remote.reset();
  await remote.step(drawn(256, 1), labels(4, 1, 10));
  assert.equal(await remote.stateSha256(), GOOD);
  remote.close();
});

test("everything that opens something refuses what it cannot use", async () => {
  for (const value of STRANGE) {
    const calls = {
      load: () => load(value), options: () => load(IMAGE, value), runtime: () => load(IMAGE, { wasm: value ?? 5 }), connect: () => connect(value),
      session: () => new Session(value), loadRuntime: () => loadRuntime(value), required: () => Session.required(value),
      module: () => new Session(IMAGE, value ?? {}), training: () => ort.TrainingSession.create(value), four: () => ort.TrainingSession.create(all(value)),
      inference: () => ort.InferenceSession.create(value), checkpoint: () => ort.TrainingSession.create({ ...all(OTHER), checkpointState: value }),
    };
    for (const [name, call] of Object.entries(calls)) assert.equal(await told(call, gradmote), "", `${name}: ${String(value)}`);
  }
  assert.equal(goodStep(await load(IMAGE)), GOOD);
});

test("the classes of onnxruntime refuse what they cannot use", async () => {
  const session = await ort.TrainingSession.create(all(OTHER)), inference = await ort.InferenceSession.create(data("infer.mote").href);
  const before = session.session.stateSha256();
  assert.deepEqual(await strangeCalls(session, gradmote, 500, ["release"]), []);
  assert.deepEqual(await strangeCalls(inference, gradmote, 200, ["release"]), []);
  for (const first of ["float32", "int64", "bool", ...STRANGE]) {
    for (const second of STRANGE) {
      assert.equal(await told(() => new ort.Tensor(first, second), gradmote), "", `new Tensor(${String(first)}, ${String(second)})`);
      assert.equal(await told(() => new ort.Tensor("float32", [1, 2], second), gradmote), "", `dims ${String(second)}`);
    }
  }
  const x = new ort.Tensor("float32", drawn(128, 1), [2, 64]), y = new ort.Tensor("int64", [1n, 2n], [2]);
  for (const value of [...STRANGE, new ort.Tensor("float32", [1]), new ort.Tensor("float64", Float64Array.from(drawn(128, 1)), [2, 64]), new ort.Tensor("uint8", [1, 2], [2])]) {
    for (const feeds of [{ x: value, labels: y }, { x }, { x, labels: value, more: value }]) {
      if (value?.type === "uint8" && feeds.x === x) continue; // labels may be of any whole numbers
      await assert.rejects(session.runTrainStep(feeds), isClear, `${String(value)}`);
      await assert.rejects(session.runEvalStep(feeds), isClear, `${String(value)}`);
    }
  }
  assert.equal(session.session.stateSha256(), before);
  await session.runTrainStep({ x, labels: y });
  await session.runOptimizerStep();
});

test("a damaged image is refused, wherever the damage is", async () => {
  for (const [what, bytes] of damages(IMAGE, 500)) {
    await assert.rejects(load(bytes), isClear, what);
  }
  assert.equal(goodStep(await load(IMAGE)), GOOD);
});

test("a damaged checkpoint, or another model's, changes nothing", async () => {
  const session = await load(IMAGE);
  goodStep(session);
  const file = session.save(), half = session.save(true), before = session.stateSha256();
  const files = [...damages(file, 300), ...damages(half, 150), ["another model's", (await load(OTHER)).save()], ["an image", IMAGE]];
  for (const [what, bytes] of files) {
    assert.throws(() => session.load(bytes), isClear, what);
    assert.equal(session.stateSha256(), before, what);
  }
  session.load(file);
  assert.equal(session.stateSha256(), before);
});

test("numbers that are not finite leave the parameters", async () => {
  const session = await load(IMAGE), x = drawn(256, 1), y = labels(4, 1, 10);
  for (const bad of [NaN, Infinity, -Infinity, 3.4e38]) {
    for (const at of [0, 17, 255]) {
      const parameters = session.parameters().slice(), wrong = x.slice();
      wrong[at] = bad;
      await assert.rejects(async () => session.step(wrong, y), isClear, `${bad} at ${at}`);
      await assert.rejects(session.train({ x: wrong, y }), /batch 1 of epoch 1/);
      assert.deepEqual(session.parameters(), parameters);
    }
  }
  for (const bad of [-1, 10, 2 ** 31 - 1]) assert.throws(() => session.step(x, [0, 1, 2, bad]), isClear);
  assert.equal(goodStep(session), GOOD);
});

test("a runtime that is missing or damaged is told, and loads afterwards", async () => {
  const module = await readFile(new URL("gradmote.wasm", dist)), wrong = [];
  const other = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]); // a module without anything
  for (const [what, bytes] of [["another module", other], ["a page", new TextEncoder().encode("<!doctype html>")], ...damages(module, 60, 3)]) {
    const problem = await told(async () => (await load(IMAGE, { wasm: bytes })).step(drawn(256, 1), labels(4, 1, 10)), gradmote);
    if (problem) wrong.push(`${what}: ${problem}`);
  }
  assert.deepEqual(wrong, []);
  const folder = tmpdir(), path = join(folder, "gradmote-simd.wasm");
  await writeFile(path, other);
  for (const wasm of [folder, path, "/nowhere/", "http://127.0.0.1:9/"]) await assert.rejects(load(IMAGE, { wasm }), isClear, wasm);
  assert.equal(goodStep(await load(IMAGE)), GOOD);
});

test("a fetch that breaks off is told, and one that is aborted says so", async (context) => {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-length": IMAGE.length });
    response.write(IMAGE.subarray(0, 100));
    if (request.url === "/broken") setTimeout(() => response.destroy(), 20);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => { server.closeAllConnections(); server.close(); });
  const address = `http://127.0.0.1:${server.address().port}`;
  await assert.rejects(load(`${address}/broken`), isClear);
  await assert.rejects(connect(`${address}/broken`), isClear);
  await assert.rejects(load(fetch("http://127.0.0.1:9/")), isClear);
  const used = new Response(IMAGE);
  await used.arrayBuffer();
  await assert.rejects(load(used), isClear);
  for (const open of [load, connect]) {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await assert.rejects(open(`${address}/slow`, { signal: abort.signal }), { name: "AbortError" });
  }
  assert.equal(goodStep(await load(IMAGE)), GOOD);
});

test("two sessions at once do not touch each other", async () => {
  const [one, two, remote] = [await load(IMAGE), await load(IMAGE), await connect(IMAGE)];
  const x = drawn(256, 1), y = labels(4, 1, 10), running = remote.train({ x, y, epochs: 50 });
  for (let step = 0; step < 50; step++) {
    one.step(x, y);
    assert.throws(() => two.step(x.slice(1), y), isClear);
    two.step(x, y);
  }
  await running;
  assert.deepEqual([two.stateSha256(), await remote.stateSha256()], [one.stateSha256(), one.stateSha256()]);
  one.close();
  assert.throws(() => one.step(x, y), isClear);
  two.step(x, y);
  remote.close();
  await assert.rejects(remote.step(x, y), isClear);
});

test("every method of a session that is closed says so", async () => {
  const session = await load(IMAGE), training = await ort.TrainingSession.create(all(OTHER));
  session.close();
  await training.release();
  for (const target of [session, training]) {
    assert.deepEqual(await strangeCalls(target, gradmote, 400, ["close", "release"]), []);
  }
  assert.throws(() => session.step(), /the session is closed/);
  session.close();
  await training.release();
});

test("train() takes arrays of numbers, and refuses what is not a batch", async () => {
  const session = await load(IMAGE), x = [...drawn(256, 1)], y = [...labels(4, 1, 10)];
  for (const value of STRANGE) {
    for (const options of [value, { x: value, y }, { x, y: value }, { x: value, y: value }]) await assert.rejects(async () => session.train(options), isClear);
    if (value !== undefined && value !== 1) await assert.rejects(session.train({ x, y, epochs: value }), isClear, `epochs ${String(value)}`);
  }
  session.reset();
  await session.train({ x, y });
  assert.equal(session.stateSha256(), GOOD);
});

test("without storage, a line says so", async () => {
  await assert.rejects(persist(await load(IMAGE)), isClear);
});
