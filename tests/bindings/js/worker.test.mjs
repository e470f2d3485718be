// train(), and sessions in a worker.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { connect, DataError, GradmoteError, load, RuntimeFault } from "gradmote";
import { persist } from "gradmote/storage";
import { drawn, labels } from "./data.mjs";

const IMAGE = await readFile(new URL("../data/step.mote", import.meta.url));
const BATCHES = 12;
const X = drawn(256 * BATCHES, 1), Y = labels(4 * BATCHES, 1, 10);

/** Trains by steps, for the states that train() must reach. */
async function stepped(epochs) {
  const session = await load(IMAGE), means = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    let total = 0;
    for (let k = 0; k < BATCHES; k++) total += session.step(X.subarray(256 * k, 256 * (k + 1)), Y.subarray(4 * k, 4 * (k + 1)));
    means.push(total / BATCHES);
  }
  return { state: session.stateSha256(), means };
}

for (const [where, open] of [["here", load], ["in a worker", connect]]) {
  test(`train() ${where} makes the steps of its epochs`, async () => {
    const session = await open(IMAGE), told = [];
    const found = await session.train({ x: X, y: Y, epochs: 3, onEpoch: (epoch) => told.push(epoch) });
    const wanted = await stepped(3);
    assert.deepEqual(told, found);
    assert.deepEqual(found.map(({ epoch, steps }) => [epoch, steps]), [[1, 12], [2, 24], [3, 36]]);
    assert.deepEqual(found.map(({ loss }) => loss), wanted.means);
    assert.equal(await session.stateSha256(), wanted.state);
    session.close();
  });

  test(`train() ${where} ends where it is aborted, and the session goes on`, async () => {
    const session = await open(IMAGE), abort = new AbortController();
    const running = session.train({ x: X, y: Y, epochs: 1e6, signal: abort.signal, onEpoch: ({ epoch }) => epoch === 5 && abort.abort() });
    await assert.rejects(running, { name: "AbortError" });
    const { trainSteps } = await session.control();
    assert.ok(trainSteps >= 5 * BATCHES && trainSteps < 1e6 * BATCHES);
    assert.equal((await session.train({ x: X, y: Y })).length, 1);
    await assert.rejects(async () => session.train({ x: X, y: Y, signal: AbortSignal.abort() }), { name: "AbortError" });
    session.close();
  });

  test(`train() ${where} refuses samples that are no batches`, async () => {
    const session = await open(IMAGE);
    for (const bad of [{ x: X, y: Y.subarray(1) }, { x: X.subarray(0, 3), y: Y }, { x: new Float32Array(), y: new Int32Array() }, {}]) {
      await assert.rejects(async () => session.train(bad), DataError);
    }
    await assert.rejects(async () => session.train({ x: X.slice().fill(NaN), y: Y }), (error) => error.error === "NOT_FINITE");
    session.close();
  });
}

test("a worker answers as Session does", async () => {
  const [remote, here] = [await connect(IMAGE), await load(IMAGE)];
  const batch = [X.subarray(0, 256), Y.subarray(0, 4)];
  assert.equal(await remote.step(...batch), here.step(...batch));
  assert.deepEqual(await remote.infer(batch[0]), here.infer(batch[0]));
  assert.deepEqual(await remote.parameters(), here.parameters());
  assert.deepEqual([await remote.control(), await remote.inputs()], [here.control(), here.inputs()]);
  await remote.set("learningRate", 0.25);
  assert.equal(await remote.get("learningRate"), 0.25);
  await remote.load(here.save());
  assert.equal(await remote.stateSha256(), here.stateSha256());
  const several = await Promise.all([remote.step(), remote.step(), remote.step()]);
  assert.deepEqual(several, [here.step(), here.step(), here.step()]);
  remote.close();
});

test("errors of a worker are those of Session", async () => {
  const remote = await connect(IMAGE);
  await assert.rejects(remote.step(new Float32Array(3), Y), DataError);
  await assert.rejects(remote.trainStep(), (error) => error instanceof RuntimeFault && error.error === "NO_PROGRAM" && error.hint.length > 0);
  await assert.rejects(remote.nothing(), GradmoteError);
  await assert.rejects(connect(new Uint8Array(8)), RuntimeFault);
  const late = remote.step(X.subarray(0, 256), Y.subarray(0, 4));
  remote.close();
  await assert.rejects(late, /the session is closed/);
  await assert.rejects(remote.step(), /the session is closed/);
});

test("without storage, a line says so", async () => {
  await assert.rejects(persist(await load(IMAGE)), /there is no storage .* - keep the bytes of save\(\) yourself/);
});
