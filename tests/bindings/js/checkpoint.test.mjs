// CheckpointState: what it refuses, damaged files, slots, and storage.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DataError, GradmoteError, load, RuntimeFault } from "gradmote";
import { CheckpointState } from "gradmote/checkpoint";
import { exportModel } from "gradmote/export";

const data = (name) => readFile(new URL(`../data/${name}`, import.meta.url));
const [IMAGE, TABLE] = await Promise.all(["step.mote", "exported.gmex"].map(data));

async function stateWith(properties = {}) {
  const state = new CheckpointState(await load(IMAGE));
  for (const [name, value] of Object.entries(properties)) state.addProperty(name, value);
  return state;
}

test("without properties a file is that of the session", async () => {
  const state = await stateWith();
  assert.deepEqual(await state.save(), state.session.save());
  assert.deepEqual(await state.saveWithoutOptimizer(), state.session.saveWithoutOptimizer());
});

test("a device reads what is in slots", async () => {
  const state = await stateWith({ count: 7, rate: 0.25, wide: 2 ** 31, text: "é", gone: 1 });
  await state.save();
  assert.deepEqual(state.session.properties(), { count: 7, rate: 0.25, gone: 1 });
  state.addProperty("gone", "a text now");
  const file = await state.save();
  assert.deepEqual(state.session.properties(), { count: 7, rate: 0.25 });
  const again = await stateWith();
  await again.load(file);
  assert.deepEqual(await Promise.all(["count", "rate", "wide", "text", "gone"].map((name) => again.getProperty(name))),
    [7, 0.25, 2 ** 31, "é", "a text now"]);
});

test("slots are read if nothing follows the checkpoint", async () => {
  const session = await load(IMAGE), state = await stateWith({ lost: "with the next file" });
  session.setProperty("whole", 3, "float32");
  session.setProperty("epoch", -2);
  await state.load(session.save());
  assert.deepEqual(await Promise.all(["whole", "epoch", "lost"].map((name) => state.getProperty(name))), [3, -2, undefined]);
  state.addProperty("new", "text");
  const text = new TextDecoder().decode(await state.save());
  assert.ok(text.endsWith('{"epoch": -2, "new": "text", "whole": 3.0}'), "the types of the slots stay");
});

test("every change of what follows is noticed, and the state stays", async () => {
  const state = await stateWith({ text: 'a "quoted" text', number: 5 }), size = state.session.save().length;
  state.session.setSeed(7);
  const file = await state.save(), other = await stateWith({ before: "stays" }), before = other.session.stateSha256();
  const isDamaged = { name: "GradmoteError", text: "the properties after the checkpoint are damaged" };
  for (let at = size; at < file.length; at++) {
    const changed = file.slice();
    changed[at] ^= 1;
    await assert.rejects(other.load(changed), isDamaged, `byte ${at}`);
    if (at > size) await assert.rejects(other.load(file.subarray(0, at)), isDamaged, `${at} bytes`);
  }
  assert.equal(await other.getProperty("before"), "stays");
  assert.equal(other.session.stateSha256(), before);
});

test("what is no checkpoint is the runtime's to refuse", async () => {
  const state = await stateWith({ text: "stays" }), file = await state.save();
  for (const [given, error] of [[new Uint8Array(), "TRUNCATED"], [file.subarray(0, 100), "TRUNCATED"], [IMAGE, "BAD_MAGIC"]]) {
    await assert.rejects(state.load(given), (fault) => fault instanceof RuntimeFault && fault.error === error, error);
  }
  await assert.rejects(state.load("text"), DataError);
  assert.equal(await state.getProperty("text"), "stays");
});

test("what no checkpoint keeps is refused", async () => {
  const state = await stateWith();
  for (const [name, value, type] of [["", 1], [3, 1], ["a\ud800", 1], ["a", "\udc00"], ["a", NaN], ["a", Infinity], ["a", 2n ** 63n],
    ["a", 0.5, "int"], ["a", 1e20, "int"], ["a", undefined], ["a", true], ["a", null]]) {
    assert.throws(() => state.addProperty(name, value, type), DataError, `${name}: ${value}`);
  }
  assert.deepEqual(await state.save(), state.session.save());
});

test("a program under way is not disturbed", async () => {
  const state = await stateWith({ count: 1 });
  state.session.setInput(0, new Float32Array(256));
  state.session.begin("infer");
  await assert.rejects(state.save(), (fault) => fault instanceof RuntimeFault && fault.error === "BUSY");
  state.session.abort();
  await state.save();
});

test("the model of a file with properties is that of its state", async () => {
  const state = await stateWith({ text: "of any length", number: 2n ** 60n });
  assert.deepEqual(exportModel(await state.save(), TABLE), exportModel(state.session, TABLE));
  const cut = state.session.save().subarray(0, -4);
  assert.throws(() => exportModel(cut, TABLE), (fault) => fault instanceof GradmoteError && fault.error === "TRUNCATED");
});
