/** The state of the data panel: the files, how they are read, and the result. */
import { batch, effect, signal } from "@preact/signals";

import { fail } from "../notice";
import { data, facts, model, notice } from "../state";
import type { Dataset } from "./dataset";
import { expectedOf, type Expected } from "./fit";
import { isAbort } from "./problem";
import { readInWorker } from "./reader";
import { PLAIN, type Reading } from "./reading";
import type { Source } from "./source";

/** The data and its files, so that they can be read again in another way. */
export const opened = signal<{ files: Source[]; found: Dataset } | null>(null);
/** How they are read. The shape of a sample is the model's. */
export const reading = signal<Reading>(PLAIN);
/** Whether to stretch pictures to the model's size. */
export const stretches = signal(false);
/** The progress of reading, from 0 to 1; null when nothing is being read. */
export const progress = signal<number | null>(null);

let under: AbortController | undefined;
/** The last files that the user gave, even if they were refused. */
let asked: { files: Source[]; reading: Reading } | undefined;

/** Returns what the open model takes; null if none is open. */
export function expected(): Expected | null {
  return model.value && facts.value ? expectedOf(model.value.name, facts.value) : null;
}

/**
 * Reads files, and stops any earlier reading. If they are refused, throws the error, and the present data stays.
 * Returns false if other files were given, or reading was stopped, before it was done.
 */
export async function openSamples(given: Source[], wanted: Reading = PLAIN): Promise<boolean> {
  const stop = new AbortController(), shape = expected()?.inputs[0]?.shape ?? null;
  under?.abort();
  under = stop;
  asked = { files: given, reading: wanted };
  progress.value = 0;
  try {
    const watcher = { signal: stop.signal, progress: (part: number) => under === stop && (progress.value = part) };
    const found = await readInWorker(given, { ...wanted, resize: stretches.value, sampleShape: shape }, watcher);
    batch(() => ([opened.value, reading.value, data.value] = [{ files: given, found }, wanted, found]));
    if (notice.value?.kind === "error") notice.value = null; // it was about other files
    return true;
  } catch (error) {
    if (isAbort(error)) return false;
    throw error;
  } finally {
    if (under === stop) progress.value = null;
  }
}

/** Reads the same files again, in another way. */
export async function readAgain(change: Partial<Reading>): Promise<boolean> {
  return openSamples(opened.value?.files ?? [], { ...reading.value, ...change });
}

/** Turns stretching of pictures on or off, and reads the last files again. */
export async function stretch(wanted: boolean): Promise<void> {
  stretches.value = wanted;
  if (asked) await openSamples(asked.files, asked.reading);
}

/** Discards the data. */
export function clearData(): void {
  under?.abort();
  asked = undefined;
  batch(() => ([opened.value, data.value] = [null, null]));
}

/** Stops reading; the present data stays. */
export function stopReading(): void {
  under?.abort();
}

/** Pictures and recordings take the shape of the model's samples, so another model requires reading them again. */
effect(() => {
  const shape = expected()?.inputs[0]?.shape, last = opened.peek();
  const areFiles = last?.found === data.peek() && last?.found.origins?.["x"]?.kind === "files";
  if (!shape || !areFiles || String(shape) === String(last?.found.sampleShape)) return;
  void openSamples(last!.files, reading.peek()).catch(fail);
});
