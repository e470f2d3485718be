/** Lessons that outlast the page, kept as bytes beside the checkpoints. */
import { discard, persist, restore } from "gradmote/storage";

import type { Lesson, Levels } from "./lesson";

/** Lessons, and the values of black and white in them. */
export interface Kept {
  lessons: Lesson[];
  levels: Levels;
}

/** The JSON ahead of the samples. */
interface Header extends Levels {
  size: number;
  classes: { name: string; count: number }[];
}

function nameOf(shape: string): string {
  return `lessons-${shape}`;
}

/** Keeps the lessons for one shape of samples. */
export async function keep(shape: string, lessons: Kept): Promise<void> {
  const bytes = packed(lessons);
  await persist({ save: () => bytes, load: () => undefined }, nameOf(shape));
}

/** Returns the kept lessons; null if there are none, or they are damaged. */
export async function kept(shape: string): Promise<Kept | null> {
  let found: Kept | null = null;
  await restore({ save: () => new Uint8Array(), load: (bytes) => void (found = unpacked(bytes)) }, nameOf(shape));
  return found;
}

export async function forget(shape: string): Promise<void> {
  await discard(nameOf(shape));
}

/** Returns the lessons as bytes: the length of the header, the header, and the samples. */
export function packed({ lessons, levels }: Kept): Uint8Array {
  const size = lessons.find(({ samples }) => samples.length)?.samples[0]?.length ?? 0;
  const header: Header = { ...levels, size, classes: lessons.map(({ name, samples }) => ({ name, count: samples.length })) };
  const text = new TextEncoder().encode(JSON.stringify(header)), samples = lessons.flatMap(({ samples }) => samples);
  const found = new Uint8Array(4 + text.length + 4 * size * samples.length);
  new DataView(found.buffer).setUint32(0, text.length, true);
  found.set(text, 4);
  samples.forEach((sample, at) => found.set(new Uint8Array(sample.buffer, sample.byteOffset, 4 * size), 4 + text.length + 4 * size * at));
  return found;
}

/** Returns the lessons in the bytes; null if they are damaged. */
export function unpacked(bytes: Uint8Array): Kept | null {
  try {
    const start = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const { size, classes, least, largest } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, start))) as Header;
    const values = new Float32Array(bytes.slice(start).buffer), total = classes.reduce((sum, { count }) => sum + count, 0);
    if (values.length !== size * total || !(least < largest)) return null;
    let at = 0;
    const lessons = classes.map(({ name, count }) => ({ name: String(name), samples: Array.from({ length: count }, () => values.slice(at, (at += size))) }));
    return { lessons, levels: { least, largest } };
  } catch {
    return null;
  }
}
