// What bad input may do: end in a GradmoteError that says what was wrong and what to do, and nothing else. Node and pages
// run the same checks; `gradmote` and `ort` are the two entries of the package.
import { drawn, labels } from "./data.mjs";

/** Values that are valid for no parameter of any method. */
export const STRANGE = [
  undefined, null, "", "nothing", true, -1, 1.5, NaN, Infinity, 2 ** 40, 5n, {}, [], [1], ["a"], [null], [1n], () => 1, new Date(0),
  new Float64Array(4), new Float32Array(3), new Uint8Array(5), new BigInt64Array(2), new ArrayBuffer(7), new Map(),
];

/** Returns an array whose buffer was transferred to another thread. */
export function detached() {
  const array = new Float32Array(256);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
}

/** Returns what is wrong with an error; an empty text for a clear one. */
export function unclear(error, { GradmoteError }) {
  if (!(error instanceof GradmoteError)) return `it is ${error?.name}: ${error?.message ?? error}`;
  if (!error.text || !error.hint) return `it has no ${error.text ? "hint" : "text"}: ${error.message}`;
  return "";
}

/** Calls, and returns what is wrong with what it throws; an empty text if it is clear, or nothing was thrown. */
export async function told(call, gradmote) {
  try {
    await call();
    return "";
  } catch (error) {
    return unclear(error, gradmote);
  }
}

/** Returns numbers in 0 .. below - 1, one after the other. */
function drawer(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Flips a bit or cuts the end off, at places drawn over the whole file; yields each as [what, bytes]. */
export function* damages(file, count, seed = 1) {
  const draw = drawer(seed);
  for (let i = 0; i < count; i++) {
    const at = i < 144 ? i : draw(file.length), bit = draw(8), flipped = Uint8Array.from(file);
    flipped[at] ^= 1 << bit;
    yield [`bit ${bit} of byte ${at}`, flipped];
    if (i % 4 === 0) yield [`${at} of ${file.length} bytes`, file.slice(0, at)];
  }
}

/** Returns the names of the methods that a class and its bases define. */
function methodsOf(target) {
  const prototype = Object.getPrototypeOf(target);
  if (prototype === Object.prototype || !prototype) return [];
  const found = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { value }]) => typeof value === "function");
  return [...new Set([...found.map(([name]) => name), ...methodsOf(prototype)])];
}

/** Calls every method of an object with strange values; returns the calls that do not end in a clear error. */
export async function strangeCalls(target, gradmote, count, leaveOut = []) {
  const draw = drawer(7), found = [];
  const methods = methodsOf(target).filter((name) => ![...leaveOut, "constructor"].includes(name));
  for (let i = 0; i < count; i++) {
    const name = methods[i % methods.length], values = Array.from({ length: 1 + draw(3) }, () => STRANGE[draw(STRANGE.length)]);
    const wrong = await told(() => target[name](...values), gradmote);
    if (wrong) found.push(`${name}(${values.map(shown).join(", ")}): ${wrong}`);
  }
  return found;
}

function shown(value) {
  return ArrayBuffer.isView(value) ? value.constructor.name : Array.isArray(value) ? `[${value}]` : String(value);
}

/** Returns the digest of the state after one good step from the image's beginning. */
export function goodStep(session) {
  session.abort();
  session.reset();
  const [input] = session.inputs(), [label] = session.labels();
  session.step(drawn(input.size / 4, 1), labels(label.size / 4, 1, 10));
  return session.stateSha256();
}
