/** The lessons: classes that the user teaches by hand, each with its samples. */
import { effect, signal } from "@preact/signals";

import { partsOf, rangeOf, type Dataset } from "../data/dataset";
import { expectedOf, type Expected } from "../data/fit";
import { sizeOf } from "../data/loaded";
import { lookOf, sampleOf, type Look } from "../data/look";
import { gray, resized, rgb, type Picture } from "../data/pictures/pixels";
import { fail } from "../notice";
import { data, facts, model } from "../state";
import { forget, keep, kept, type Kept } from "./keep";
import type { Lesson, Levels } from "./lesson";

/** The classes, in the order of the model's outputs. */
export const lessons = signal<Lesson[]>([]);
/** The sample in front of the model: the drawing, or the view of the camera. */
export const current = signal<Float32Array | null>(null);

/** How many samples of each class the model knew after the last training; null if the samples or the model changed. */
export const known = signal<number[] | null>(null);

const FIRST = ["Class 1", "Class 2", "Class 3"];
/** The most samples of a class that are recorded. */
export const MOST = 500;

/** Returns what the open model takes; null if none is open. */
export function wanted(): Expected | null {
  return model.value && facts.value ? expectedOf(model.value.name, facts.value) : null;
}

/** Returns how the model's samples look as pictures; null if they are not pictures. */
export function look(): Look | null {
  const shape = wanted()?.inputs[0]?.shape;
  return shape ? lookOf(shape) : null;
}

/** The levels of the recorded samples; null if there are none yet. */
const held = signal<Levels | null>(null);

/** Returns the levels of the recorded samples; before there are any, those of the open data. */
export function levels(): Levels {
  return held.value ?? levelsOfData();
}

/** Returns the smallest and largest number of the open data if they fit the model, else 0 and 1. */
function levelsOfData(): Levels {
  const shape = wanted()?.inputs[0]?.shape, found = data.value;
  if (!found || !shape || sizeOf(found.sampleShape) !== sizeOf(shape)) return { least: 0, largest: 1 };
  const { least, largest } = rangeOf(partsOf(found)[0]!.part.x);
  return least < largest ? { least, largest } : { least: 0, largest: 1 };
}

/** Returns a picture in the form that the model takes. */
export function sampleFrom(picture: Picture, seen: Look): Float32Array {
  const small = resized(picture, seen.width, seen.height), { least, largest } = levels();
  return sampleOf((seen.channels === 1 ? gray(small) : rgb(small)).data, seen, least, largest);
}

// ---- Changes ------------------------------------------------------------------------------------------------------

function change(number: number, changed: (lesson: Lesson) => Lesson): void {
  lessons.value = lessons.value.map((lesson, at) => (at === number ? changed(lesson) : lesson));
}

/** Adds samples to a class. */
export function record(number: number, ...samples: Float32Array[]): void {
  known.value = null;
  held.value ??= levelsOfData();
  change(number, (lesson) => ({ ...lesson, samples: [...lesson.samples, ...samples].slice(0, MOST) }));
}

export function rename(number: number, name: string): void {
  change(number, (lesson) => ({ ...lesson, name }));
}

/** Removes one sample of a class, or all of them. */
export function drop(number: number, sample?: number): void {
  known.value = null;
  change(number, (lesson) => ({ ...lesson, samples: sample === undefined ? [] : lesson.samples.filter((_, at) => at !== sample) }));
}

/** Adds a class. */
export function addClass(): void {
  lessons.value = [...lessons.value, { name: `Class ${lessons.value.length + 1}`, samples: [] }];
}

/** Removes a class; later ones move up. */
export function removeClass(number: number): void {
  known.value = null;
  lessons.value = lessons.value.filter((_, at) => at !== number);
}

/** Returns the lessons as data for the training step. */
export function asDataset(): Dataset {
  const samples = lessons.value.flatMap(({ samples }) => samples), size = samples[0]?.length ?? 0;
  const x = new Float32Array(samples.length * size);
  samples.forEach((sample, at) => x.set(sample, at * size));
  const y = Int32Array.from(lessons.value.flatMap(({ samples }, number) => samples.map(() => number)));
  const shape = wanted()?.inputs[0]?.shape ?? [size], classes = lessons.value.map(({ name }) => name);
  return { name: "taught by hand", x, y, count: samples.length, sampleShape: shape, labelShape: [], classes, notes: [] };
}

// ---- What is kept -------------------------------------------------------------------------------------------------

/** How long after the last change the lessons are kept, in milliseconds. */
const PAUSE = 400;
/** The shape of the samples on show; lessons of other shapes are kept beside them. */
let shown: string | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  void model.value;
  known.value = null;
});

/** Shows the kept lessons for the model's shape of samples. */
effect(() => {
  const shape = wanted()?.inputs[0]?.shape.join("x");
  if (shape === undefined || shape === shown) return;
  shown = undefined; // keep nothing before the kept lessons are read
  current.value = null;
  void kept(shape).then((found) => show(shape, found), (error) => (fail(error), show(shape, null)));
});

function show(shape: string, found: Kept | null): void {
  if (wanted()?.inputs[0]?.shape.join("x") !== shape) return;
  held.value = found?.levels ?? null;
  lessons.value = found?.lessons ?? begun();
  shown = shape;
}

/** Returns classes without samples: those of the open data if the model has as many, else a few to start with. */
function begun(): Lesson[] {
  const most = wanted()?.classes ?? 0, named = data.value?.classes ?? [];
  const names = named.length === most ? named : FIRST.slice(0, Math.max(2, Math.min(FIRST.length, most)));
  return names.map((name) => ({ name, samples: [] }));
}

/** While there are no samples, the classes follow the open model and data. */
effect(() => {
  const most = wanted()?.classes, isNamed = data.value?.classes.length === most, now = lessons.peek();
  if (!most || shown === undefined || now.some(({ samples }) => samples.length)) return;
  if (isNamed || now.length > most) lessons.value = begun();
});

effect(() => {
  const found = lessons.value, shape = shown;
  if (shape === undefined) return;
  clearTimeout(waiting);
  const isEmpty = found.every(({ samples }) => !samples.length);
  if (isEmpty) held.value = null;
  waiting = setTimeout(() => void (isEmpty ? forget(shape) : keep(shape, { lessons: found, levels: levels() })).catch(fail), PAUSE);
});
