// node conversation.mjs MODEL.mote CALLS.json [KIND]: makes calls of a session, and prints what they returned as JSON. KIND:
// session, federated (a FederatedSession), or worker (one in a worker).
//
// A call is [name, arguments...]. Of the arguments, {"f32": [...]}, {"i32": [...]} and so on are arrays, and {"result": n} is what
// the n-th call returned. Arrays that are returned are printed as their bytes in hex.

import { readFileSync } from "node:fs";
import { GradmoteError, load, RuntimeFault } from "gradmote";
import * as federated from "gradmote/federated";

const [model, calls, kind = "session"] = process.argv.slice(2);
const session = await { session: load, federated: federated.load, worker: federated.connect }[kind](model);
const results = [], ARRAYS = { f32: Float32Array, i32: Int32Array, i8: Int8Array, u8: Uint8Array };
const PROPERTIES = ["round", "learningRate", "skippedSteps"];

function argument(value) {
  const type = Object.keys(ARRAYS).find((name) => value?.[name]);
  if (type) return ARRAYS[type].from(value[type]);
  return value?.result === undefined ? value : results[value.result];
}

/** Calls a method, reads a property, or sets one if there is an argument. */
function made(name, ...given) {
  const values = given.map(argument);
  if (kind === "worker" && PROPERTIES.includes(name)) return session.get(name);
  if (typeof session[name] === "function") return session[name](...values);
  if (values.length) session[name] = values[0];
  return session[name];
}

function told(value) {
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
  return Array.isArray(value) ? value.map(told) : value ?? null;
}

async function answer([name, ...given]) {
  try {
    const value = await made(name, ...given);
    results.push(ArrayBuffer.isView(value) ? value.slice() : value);
    return told(value);
  } catch (error) {
    results.push(undefined);
    if (error instanceof RuntimeFault) return { fault: error.code, text: error.text.slice(error.text.indexOf(": ") + 2), hint: error.hint };
    if (error instanceof GradmoteError) return { refused: error.constructor.name };
    throw error;
  }
}

const answers = [];
for (const call of JSON.parse(readFileSync(calls, "utf8"))) answers.push(await answer(call));
session.close();
console.log(JSON.stringify(answers));
