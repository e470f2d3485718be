/** The scale of samples: (x - zero) * scale, in the float32 arithmetic that boards use for bytes. */
import { oneNumber } from "./files/npz";
import type { Loaded, NumberArray } from "./loaded";
import type { Scaling } from "./reading";
import { nameOf } from "./source";
import { figure, named } from "./wording";

const SAMPLES = ["x", "x_test"];

/** Returns the samples as float32, with the requested scale, or with the one in a file of bytes. */
export function scaled(loaded: Loaded, scaling: Scaling): Loaded {
  const { scale: scaleArray, zero: zeroArray, ...arrays } = loaded.arrays;
  const own = { scale: oneNumber(scaleArray, "scale", 1), zero: oneNumber(zeroArray, "zero", 0) };
  const isBytes = arrays.x?.dtype === "uint8";
  const { scale, zero } = factors(arrays.x as NumberArray, scaling, isBytes ? own : { scale: 1, zero: 0 });
  for (const name of SAMPLES) if (arrays[name]) arrays[name] = widened(arrays[name] as NumberArray, scale, zero);
  const stand = isBytes ? "bytes, which stand for" : "numbers, which become";
  const told = isBytes || scale !== 1 || zero !== 0;
  const note = `${named(nameOf(loaded.path))}: x has ${stand} (x - ${figure(zero)}) * ${figure(scale)}`;
  return { ...loaded, arrays, notes: told ? [...loaded.notes, note] : loaded.notes };
}

/** Returns the requested factors, else the file's own. The standard scale gives a mean of 0 and a deviation of 1. */
function factors(x: NumberArray, scaling: Scaling, own: { scale: number; zero: number }): { scale: number; zero: number } {
  if (scaling !== "standard") return { scale: scaling.scale ?? own.scale, zero: scaling.zero ?? own.zero };
  const finite = Array.from(x.data as Float32Array).filter(Number.isFinite), count = finite.length || 1;
  const zero = finite.reduce((sum, value) => sum + value, 0) / count;
  const variance = finite.reduce((sum, value) => sum + (value - zero) ** 2, 0) / count;
  return { scale: Math.fround(variance > 0 ? 1 / Math.sqrt(variance) : 1), zero: Math.fround(zero) };
}

function widened({ shape, data }: NumberArray, scale: number, zero: number): NumberArray {
  const [factor, offset] = [Math.fround(scale), Math.fround(zero)], found = Float32Array.from(data as Float32Array);
  if (factor === 1 && offset === 0) return { dtype: "float32", shape, data: found };
  for (let at = 0; at < found.length; at++) found[at] = Math.fround(found[at] - offset) * factor;
  return { dtype: "float32", shape, data: found };
}
