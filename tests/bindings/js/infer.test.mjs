// Only the package's inference, in node.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as infer from "gradmote/infer";
import * as whole from "gradmote";
import { drawn } from "./data.mjs";

const data = (name) => new URL(`../data/${name}.mote`, import.meta.url);
const dist = (name) => new URL(`../node_modules/gradmote/dist/${name}`, import.meta.url);
const { env, GradmoteError, Inference, InferenceSession, load, loadRuntime, Tensor } = infer;

test("outputs that are kept stay what they were", async () => {
  const session = await load(data("step")), kept = session.infer(drawn(256, 1))[0], before = [...kept];
  session.infer(drawn(256, 2));
  assert.deepEqual([...kept], before);
});

test("a model that trains infers as the whole package does", async () => {
  const session = await load(data("accumulate")), same = await whole.load(data("accumulate"));
  const x = drawn(128, 1), [scores] = session.infer(x);
  assert.deepEqual([...scores], [...same.infer(x)[0]]);
  assert.deepEqual(session.classify(1), same.classify(1));
  assert.deepEqual([...session.output(0)], [...scores]);
  assert.deepEqual(session.requirements().programs, ["infer"]);
  assert.deepEqual(session.inputs(), same.inputs());
});

test("a sample store does no harm", async () => {
  const session = await load(data("step"));
  assert.equal(session.infer(drawn(256, 1))[0].length, 40);
});

test("runs by names as onnxruntime's class", async () => {
  const session = await InferenceSession.create(await readFile(data("infer")));
  assert.deepEqual([session.inputNames, session.outputNames], [["x"], ["y"]]);
  const feeds = { x: new Tensor("float32", drawn(64, 1), [1, 64]) };
  const { y } = await session.run(feeds);
  assert.deepEqual([y.type, [...y.dims], y.size], ["float32", [1, 10], 10]);
  assert.deepEqual(Object.keys(await session.run(feeds, ["y"])), ["y"]);
  await assert.rejects(session.run({}), /input 'x' is missing/);
  await assert.rejects(session.run({ x: new Tensor("float32", drawn(64, 1), [64, 1]) }), /shape \[1,64\]; \[64,1\] was given/);
  await assert.rejects(session.run(feeds, ["z"]), /no output 'z'/);
  await session.release();
  await assert.rejects(session.run(feeds), /the session is closed/);
});

test("inputs that a run overwrites are asked for again", async () => {
  const session = await load(data("overwrite")), x = drawn(256, 1);
  const [first] = session.infer(x).map((view) => [...view]);
  assert.throws(() => session.infer(), /the image overwrites inputs/);
  assert.deepEqual([...session.infer(x)[0]], first);
});

test("refuses what it cannot use", async () => {
  const session = await load(data("infer"));
  assert.throws(() => session.infer(drawn(63, 1)), /has 64 elements; 63 were given/);
  assert.throws(() => session.infer(drawn(64, 1), drawn(64, 1)), /2 arrays were given/);
  assert.throws(() => session.output(1), /no output of infer 1/);
  assert.throws(() => session.setInput(1, drawn(64, 1)), /no input 1/);
  session.close();
  session.close();
  assert.throws(() => session.infer(drawn(64, 1)), /the session is closed/);
  const image = await readFile(data("accumulate"));
  for (const at of [0, 4, 12, 80, image.length - 1]) {
    const damaged = Uint8Array.from(image);
    damaged[at] ^= 1;
    await assert.rejects(load(damaged), GradmoteError, `byte ${at}`);
  }
  await assert.rejects(load(image.subarray(0, 100)), /shorter than its header says/);
  await assert.rejects(InferenceSession.create(new TextEncoder().encode("an ONNX model")), /gradmote compile/);
});

test("a module that trains is recognized", async () => {
  await assert.rejects(load(data("infer"), { wasm: dist("gradmote.wasm") }), /this module trains - pass gradmote-infer.wasm/);
  await assert.rejects(load(data("infer"), { wasm: "/nowhere/" }), /\/nowhere\/gradmote-infer-simd.wasm cannot be read/);
});

test("one runtime serves many sessions", async () => {
  const runtime = await loadRuntime({ wasm: dist("gradmote-infer.wasm") }), image = await readFile(data("infer"));
  const sessions = [new Inference(image, runtime), new Inference(image)], x = drawn(64, 3);
  assert.deepEqual(...sessions.map((session) => [...session.infer(x)[0]]));
  env.wasm.wasmPaths = "/elsewhere/";
  await assert.rejects(InferenceSession.create(image), /\/elsewhere\/gradmote-infer-simd.wasm cannot be read/);
  delete env.wasm.wasmPaths;
});
