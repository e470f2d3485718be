// What is JavaScript's own in Session: the kinds of data that it takes, its views, its memory, and the sources
// of images.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { DataError, ERRORS, GradmoteError, hasSimd, load, loadRuntime, RuntimeFault, Session } from "gradmote";
import { drawn, labels } from "./data.mjs";

const data = (name) => new URL(`../data/${name}`, import.meta.url);
const IMAGE = await readFile(data("step.mote"));
const X = drawn(256, 1), Y = labels(4, 1, 10);

test("takes data of many kinds, and trains to the same state", async () => {
  const states = new Set();
  const kinds = [
    [X, Y], [[...X], [...Y]], [X.buffer, Y.buffer], [Buffer.from(X.buffer), Buffer.from(Y.buffer)], [X, Uint8Array.from(Y)],
    [X, BigInt64Array.from(Y, BigInt)], [new DataView(X.buffer), new Uint8ClampedArray(Y)], [X, [...Y].map(BigInt)],
  ];
  for (const given of kinds) {
    const session = await load(IMAGE);
    session.step(...given);
    states.add(session.stateSha256());
  }
  assert.equal(states.size, 1);
});

test("refuses data that does not fit, and stays as it was", async () => {
  const session = await load(IMAGE);
  session.step(X, Y);
  const before = session.stateSha256();
  const bad = [
    [Float64Array.from(X), Y], [X, Float32Array.from(Y)], [X.subarray(1), Y], [X, Y.subarray(1)], [X], [X, Y, Y], ["text", Y],
    [null, Y], [{ length: 256 }, Y], [X, [0, 1, 2, 0.5]], [X, [0, 1, 2, 2 ** 31]], [X, [0, 1, 2, "3"]], [X, [0, 1, 2, NaN]],
    [Array(256).fill("1"), Y], [X, BigInt64Array.from([1n, 2n, 3n, 1n << 40n])],
  ];
  for (const given of bad) assert.throws(() => session.step(...given), DataError, String(given[1]));
  for (const value of [NaN, Infinity, -Infinity]) {
    const broken = X.slice();
    broken[200] = value;
    assert.throws(() => session.step(broken, Y), (error) => error.error === "NOT_FINITE" && error.code === ERRORS.NOT_FINITE[0]);
  }
  session.load(Object.assign(session.save()));
  assert.equal(session.skippedSteps, 3);
  session.reset();
  session.step(X, Y);
  assert.equal(session.stateSha256(), before);
});

test("runs count the samples that they are given", async () => {
  const session = await load(IMAGE), whole = session.infer(X)[0], twice = Float32Array.of(...X.subarray(0, 128), ...X.subarray(0, 128));
  assert.deepEqual(session.infer(X.subarray(0, 128)), [whole.slice(0, 20)]);
  assert.throws(() => session.evalStep(), (error) => error instanceof DataError && /has 2 samples, label .* has 4/.test(error.message));
  const loss = session.evalStep(twice, [1, 3, 1, 3]), half = session.evalStep(X.subarray(0, 128), [1, 3]);
  assert.ok(Math.abs(loss - half) < 1e-6);
  assert.equal(session.evalStep(), half);
  assert.throws(() => session.step(X.subarray(0, 128), [1]), DataError);
  session.step(X.subarray(0, 128), [1, 3]);
  assert.equal(session.output(0, "eval").length, 20);
  assert.equal(session.runProgram("eval"), session.evalStep(X.subarray(0, 128).slice().buffer, [1, 3]));
  assert.deepEqual(session.inputs()[0].rowsIn, ["infer", "eval", "step"]);
});

test("outputs that are kept stay what they were", async () => {
  const session = await load(IMAGE), kept = session.infer(X)[0], before = [...kept], view = session.output(0);
  session.infer(drawn(256, 2));
  assert.deepEqual([...kept], before);
  assert.notDeepEqual([...view], before);
});

test("closed sessions refuse, and views outlive them", async () => {
  const session = await load(IMAGE);
  const parameters = session.parameters(), first = parameters[0];
  session.close();
  session.close();
  assert.equal(parameters[0], first);
  assert.equal(String(session), "<Session: closed>");
  for (const call of ["step", "infer", "save", "state", "reset", "control", "inputs", "outputs", "parameters", "store", "delta", "abort"]) {
    assert.throws(() => session[call](), /the session is closed - open another one/, call);
  }
  assert.throws(() => session.learningRate, GradmoteError);
  assert.throws(() => session.inputView(0), GradmoteError);
});

test("damaged images and checkpoints are refused with code, text and hint", async () => {
  await loadRuntime();
  for (const bytes of [new Uint8Array(0), new Uint8Array(7), new Uint8Array(4096), IMAGE.subarray(0, 900)]) {
    assert.throws(() => new Session(bytes), RuntimeFault);
    assert.throws(() => Session.required(bytes), RuntimeFault);
  }
  let refused = 0;
  for (let at = 0; at < IMAGE.length; at += 97) {
    const broken = Uint8Array.from(IMAGE);
    broken[at] ^= 0x40;
    assert.throws(() => new Session(broken), (error) => error instanceof RuntimeFault && error.code < 0 && error.hint.length > 0, String(at));
    refused++;
  }
  assert.ok(refused > 100);
  const session = new Session(IMAGE), state = session.stateSha256(), file = session.save();
  for (let at = 0; at < file.length; at += 211) {
    const broken = file.slice();
    broken[at] ^= 1;
    assert.throws(() => session.load(broken), RuntimeFault);
  }
  assert.throws(() => session.load(file.subarray(0, 100)), (error) => error.error === "TRUNCATED");
  assert.throws(() => session.load("text"), DataError);
  assert.equal(session.stateSha256(), state);
  assert.throws(() => new Session("text"), DataError);
  assert.throws(() => new Session(), DataError);
});

test("later changes of the caller's bytes do no harm", async () => {
  const bytes = Uint8Array.from(IMAGE), session = await load(bytes), same = await load(IMAGE);
  bytes.fill(255);
  assert.equal(session.step(X, Y), same.step(X, Y));
});

test("views keep their memory through every call", async () => {
  const session = await load(IMAGE);
  const input = session.inputView(0), parameters = session.parameters(), large = new Uint8Array(8 << 20);
  session.step(X, Y);
  session.load(session.save());
  session.applyDelta(session.delta());
  assert.throws(() => session.load(large), RuntimeFault);
  assert.throws(() => session.carryOver(large), RuntimeFault);
  assert.equal(input.length, 256);
  assert.equal(parameters.length, 2410);
  assert.deepEqual(session.parameters(), parameters);
  parameters[0] = 0.125;
  assert.equal(session.parameter(0)[0], 0.125);
  assert.deepEqual(session.parameterShape("0.weight"), [32, 64]);
});

test("memory is let go of with the sessions", async () => {
  const used = () => (globalThis.gc(), process.memoryUsage().arrayBuffers + process.memoryUsage().external);
  const open = () => {
    for (let i = 0; i < 100; i++) {
      const session = new Session(IMAGE);
      session.step(X, Y);
      session.save();
      session.close();
    }
  };
  const settled = async (limit) => { // the collector frees memory after a while
    for (let i = 0; i < 100 && used() > limit; i++) await new Promise((resume) => setTimeout(resume, 20));
    return used();
  };
  open();
  const before = await settled(30e6);
  for (let round = 0; round < 5; round++) open(); // 500 sessions of 300 KB each
  assert.ok((await settled(before + 20e6)) <= before + 20e6);
});

test("images come from files, addresses, responses, blobs and bytes", async (context) => {
  const server = createServer((request, response) => {
    const found = request.url === "/step.mote";
    response.writeHead(found ? 200 : 404).end(found ? IMAGE : "");
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => { server.closeAllConnections(); server.close(); });
  const address = `http://127.0.0.1:${server.address().port}`;
  const sources = [data("step.mote"), data("step.mote").pathname, `${address}/step.mote`, new Response(IMAGE), Promise.resolve(new Response(IMAGE)),
    new Blob([IMAGE]), IMAGE, IMAGE.buffer.slice(IMAGE.byteOffset, IMAGE.byteOffset + IMAGE.length)];
  for (const source of sources) assert.equal((await load(source)).requirements().batch, 4);
  await assert.rejects(load(`${address}/nothing.mote`), /is not at .*nothing.mote: 404/);
  await assert.rejects(load("/nowhere/model.mote"), /cannot be read \(ENOENT\)/);
  await assert.rejects(load("http://127.0.0.1:9/model.mote"), /cannot be fetched/);
  await assert.rejects(load(undefined), DataError);
  await assert.rejects(load(`${address}/step.mote`, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("the runtime is picked, or given", async () => {
  assert.equal((await loadRuntime()).simd, hasSimd());
  assert.equal((await loadRuntime({ simd: false })).simd, false);
  const folder = new URL("../node_modules/gradmote/dist/", import.meta.url);
  for (const wasm of [folder, folder.pathname, new URL("gradmote.wasm", folder), await readFile(new URL("gradmote.wasm", folder)), (await loadRuntime()).module]) {
    assert.equal((await load(IMAGE, { wasm })).step(X, Y), (await load(IMAGE)).step(X, Y));
  }
  await assert.rejects(load(IMAGE, { wasm: new Uint8Array(3) }), /the runtime does not compile/);
  await assert.rejects(load(IMAGE, { wasm: "/nowhere" }), /\/nowhere\/gradmote(-simd)?.wasm cannot be read/);
  assert.equal((await load(IMAGE, {})).requirements().batch, 4);
});

test("numbers are checked", async () => {
  const session = await load(IMAGE);
  for (const wrong of [-1, 0.5, 2 ** 32, NaN, "1", undefined]) {
    assert.throws(() => session.setSeed(wrong), DataError, String(wrong));
    assert.throws(() => session.parameter(wrong), GradmoteError, String(wrong));
  }
  assert.throws(() => { session.learningRate = "1"; }, DataError);
  assert.throws(() => { session.learningRate = NaN; }, RuntimeFault);
  assert.throws(() => session.setProperty("a", 1e10, "int32"), DataError);
  assert.throws(() => session.setProperty("", 1), DataError);
  assert.throws(() => session.setProperty("a\0b", 1), DataError);
  session.setProperty("one", 1, "float32");
  session.setProperty("far", 1e10);
  assert.deepEqual(session.properties(), { one: 1, far: Math.fround(1e10) });
});
