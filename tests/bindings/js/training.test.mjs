// A digits page in the shape of onnxruntime-web/training, in node.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { GradmoteError, load } from "gradmote";
import { env, InferenceSession, Tensor, TrainingSession } from "gradmote/training";
import { drawn, labels } from "./data.mjs";

const data = (name) => new URL(`../data/${name}`, import.meta.url);
const MODEL = await readFile(data("accumulate.mote"));
const all = (model) => ({ checkpointState: model, trainModel: model, evalModel: model, optimizerModel: model });
const batch = (step) => ({
  x: new Tensor("float32", drawn(128, step), [2, 64]),
  labels: new Tensor("int64", BigInt64Array.from(labels(2, step, 10), BigInt), [2]),
});

test("trains as Session does, from an address or from bytes", async () => {
  const session = await TrainingSession.create(all(data("accumulate.mote").href));
  const same = await load(MODEL);
  for (let step = 0; step < 10; step++) {
    const { loss } = await session.runTrainStep(batch(step));
    await session.runOptimizerStep();
    await session.lazyResetGrad();
    assert.deepEqual([loss.type, [...loss.dims]], ["float32", []]);
    assert.equal(loss.data[0], same.trainStep(drawn(128, step), labels(2, step, 10)));
    same.optimizerStep();
    same.lazyResetGrad();
  }
  assert.equal(session.session.stateSha256(), same.stateSha256());
});

test("evaluates, and returns what is fetched", async () => {
  const session = await TrainingSession.create(all(MODEL));
  assert.deepEqual(session.trainingInputNames, ["x", "labels"]);
  assert.deepEqual(session.evalInputNames, ["x", "labels"]);
  assert.deepEqual(session.evalOutputNames, ["loss", "y"]);
  assert.equal(session.trainingOutputNames[0], "loss");
  const before = session.session.stateSha256();
  const both = await session.runEvalStep(batch(1));
  assert.deepEqual([Object.keys(both), [...both.y.dims]], [["loss", "y"], [2, 10]]);
  assert.deepEqual(Object.keys(await session.runEvalStep(batch(1), ["y"])), ["y"]);
  assert.deepEqual(Object.keys(await session.runEvalStep(batch(1), { y: null })), ["y"]);
  assert.deepEqual(Object.keys(await session.runEvalStep(batch(1), { tag: "options" })), ["loss", "y"]);
  assert.equal(session.session.stateSha256(), before);
});

test("gives parameters to a server and takes them back", async () => {
  const [one, other] = [await TrainingSession.create(all(MODEL)), await TrainingSession.create(all(MODEL))];
  await one.runTrainStep(batch(3));
  await one.runOptimizerStep();
  const parameters = await one.getContiguousParameters(true);
  assert.equal(parameters.size, await one.getParametersSize());
  assert.equal(await one.getParametersSize(false), 2410);
  await other.loadParametersBuffer(new Uint8Array(parameters.data.buffer), true);
  assert.deepEqual((await other.getContiguousParameters()).data, parameters.data);
  const kept = parameters.data.slice();
  await one.runTrainStep(batch(4));
  await one.runOptimizerStep();
  assert.deepEqual(parameters.data, kept, "a copy");
  await assert.rejects(other.loadParametersBuffer(new Uint8Array(8)), /9640 bytes; 8 were given/);
  await one.release();
  await assert.rejects(one.runTrainStep(batch(1)), /the session is closed/);
});

test("continues from a checkpoint", async () => {
  const state = data("accumulate.gmck").href;
  const session = await TrainingSession.create({ ...all(MODEL), checkpointState: state });
  assert.ok((await session.getContiguousParameters()).data.every((value) => value === 0.5));
});

test("an update applies the sum of the gradients", async () => {
  const session = await TrainingSession.create(all(await readFile(data("head.mote")))), { session: under } = session;
  const first = new Tensor("float32", drawn(64, 1), [1, 64]), second = new Tensor("float32", drawn(64, 2), [1, 64]);
  const labels = new Tensor("int64", [3n], [1]), before = under.parameters().slice();
  await session.runTrainStep({ x: first, labels });
  await session.runTrainStep({ x: second, labels });
  const sum = under.parameterNames().flatMap((name) => [...under.gradient(name)]);
  await session.runOptimizerStep();
  const moved = under.parameters().map((value, i) => (before[i] - value) / 0.1);
  moved.forEach((value, i) => assert.ok(Math.abs(value - sum[i]) < 1e-5, `${i}: ${value} is not ${sum[i]}`));
  assert.equal(under.control().accumulated, 2, "the gradients stay until lazyResetGrad()");
  await session.lazyResetGrad();
  await assert.rejects(session.runOptimizerStep(), /no gradients/);
});

test("an image without --accumulate trains batch after batch", async () => {
  const image = await readFile(data("step.mote"));
  const session = await TrainingSession.create(all(image)), same = await load(image);
  const feeds = { x: new Tensor("float32", drawn(256, 1), [4, 64]), labels: new Tensor("int32", labels(4, 1, 10), [4]) };
  for (let step = 0; step < 5; step++) {
    const before = session.session.stateSha256();
    const { loss } = await session.runTrainStep(feeds);
    assert.equal(session.session.stateSha256(), before, "nothing moves before the update");
    await session.runOptimizerStep();
    await session.lazyResetGrad();
    assert.equal(loss.data[0], same.step(drawn(256, 1), labels(4, 1, 10)));
    assert.equal(session.session.stateSha256(), same.stateSha256());
  }
  await assert.rejects(session.runOptimizerStep(), (error) => error.error === "NO_GRADIENTS");
  await session.runTrainStep(feeds);
  await assert.rejects(session.runTrainStep(feeds), /does not accumulate gradients - .*--accumulate/);
  await session.loadParametersBuffer(new Uint8Array((await session.getContiguousParameters()).data.buffer));
  await assert.rejects(session.runOptimizerStep(), /no gradients/);
  await session.lazyResetGrad();
  await session.runTrainStep(feeds);
  await session.runOptimizerStep();
});

test("frozen parameters are refused where there are some", async () => {
  const session = await TrainingSession.create(all(await readFile(data("head.mote"))));
  assert.equal(await session.getParametersSize(), 330);
  await assert.rejects(session.getParametersSize(false), /frozen parameters are constants/);
});

test("infers", async () => {
  const session = await InferenceSession.create(data("infer.mote").href);
  assert.deepEqual([session.inputNames, session.outputNames], [["x"], ["y"]]);
  const { y } = await session.run({ x: new Tensor(drawn(64, 1), [1, 64]) });
  assert.deepEqual([y.type, [...y.dims], y.size], ["float32", [1, 10], 10]);
  await assert.rejects(session.run({ x: new Tensor(drawn(64, 1), [64, 1]) }), /shape \[1,64\]; \[64,1\] was given/);
  await assert.rejects(session.run({}), /input 'x' is missing/);
  await session.release();
});

test("refuses what it cannot use", async () => {
  const session = await TrainingSession.create({ checkpointState: MODEL, trainModel: MODEL });
  await assert.rejects(session.runOptimizerStep(), /without optimizerModel/);
  await assert.rejects(session.runEvalStep(batch(1)), /without evalModel/);
  assert.throws(() => session.evalInputNames, /without evalModel/);
  await assert.rejects(session.runTrainStep(batch(1), ["nothing"]), /no output 'nothing'/);
  await assert.rejects(session.runTrainStep(batch(1), []), /no output/);
  await assert.rejects(session.runTrainStep({ ...batch(1), labels: new Tensor("int64", [1n, 2n ** 40n]) }), /element 1 of label 'labels'/);
  const wrong = { ...batch(1), x: new Tensor("float64", new Float64Array(128), [2, 64]) };
  await assert.rejects(session.runTrainStep(wrong), /takes float32, not Float64Array/);
  await assert.rejects(TrainingSession.create(all(await readFile(data("infer.mote")))), /only infers - .* a loss and an optimizer/);
  await assert.rejects(TrainingSession.create(all(new TextEncoder().encode("an ONNX model"))), /gradmote compile/);
  await assert.rejects(TrainingSession.create({ ...all(MODEL), checkpointState: new Uint8Array(9) }), GradmoteError);
  await assert.rejects(TrainingSession.create(all(await readFile(data("nameless.mote")))).then((made) => made.runTrainStep(batch(1))), /--strip-names/);
});

test("tensors are checked", () => {
  assert.deepEqual([...new Tensor("float32", [1, 2], [2, 1]).dims], [2, 1]);
  assert.equal(new Tensor([true, false]).type, "bool");
  assert.equal(new Tensor("int64", [1, 2]).data[1], 2n);
  assert.equal(new Tensor(new Int32Array(6), [2, 3]).reshape([3, 2]).dims[0], 3);
  for (const given of [["float32", [1, 2], [3]], ["float31", [1]], ["float32", new Float64Array(1)], [[1, 2]], ["float32", [1], [-1]], [undefined]]) {
    assert.throws(() => new Tensor(...given), GradmoteError, String(given));
  }
  const tensor = new Tensor(new Float32Array(2));
  tensor.dispose();
  assert.throws(() => tensor.data, /disposed/);
});

test("wasmPaths is where the runtime comes from", async () => {
  env.wasm.wasmPaths = "/nowhere/";
  try {
    await assert.rejects(InferenceSession.create(MODEL), /\/nowhere\/gradmote-simd.wasm cannot be read/);
  } finally {
    delete env.wasm.wasmPaths;
  }
});
