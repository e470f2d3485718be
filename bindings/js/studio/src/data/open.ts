/** What is open in the data panel: the files, how they are read, and what came of it. */
import { batch, effect, signal } from "@preact/signals";

import { fail } from "../notice";
import { data, facts, model, notice } from "../state";
import type { Dataset } from "./dataset";
import { expectedOf, type Expected } from "./fit";
import { isAbort } from "./problem";
import { readInWorker } from "./reader";
import { PLAIN, type Reading } from "./reading";
import type { Source } from "./source";

/** What was read of files, and the files, so that they can be read again in another way. */
export const opened = signal<{ files: Source[]; found: Dataset } | null>(null);
/** How they are read. The shape of a sample is the model's. */
export const reading = signal<Reading>(PLAIN);
/** Whether pictures of another size than the model's are stretched to it. */
export const stretches = signal(false);
/** How far reading is, from 0 to 1; null while nothing is read. */
export const progress = signal<number | null>(null);

let under: AbortController | undefined;
/** What was given last, also where it was refused. */
let asked: { files: Source[]; reading: Reading } | undefined;

/** Returns what the open model takes; null where there is none. */
export function expected(): Expected | null {
  return model.value && facts.value ? expectedOf(model.value.name, facts.value) : null;
}

/**
 * Reads files, which takes the place of what is read now. Where they are refused, the error is thrown, and the data of
 * before stays. Returns false where other files were given, or reading was ended, before it was done.
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
    if (notice.value?.kind === "error") notice.value = null; // it spoke of files that are no longer asked for
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

/** Stretches pictures, or does not, and reads again what was given last. */
export async function stretch(wanted: boolean): Promise<void> {
  stretches.value = wanted;
  if (asked) await openSamples(asked.files, asked.reading);
}

/** Lets go of the data. */
export function clearData(): void {
  under?.abort();
  asked = undefined;
  batch(() => ([opened.value, data.value] = [null, null]));
}

/** Ends reading; the data of before stays. */
export function stopReading(): void {
  under?.abort();
}

/** Pictures and recordings take the shape of the model's samples, so that another model has them read again. */
effect(() => {
  const shape = expected()?.inputs[0]?.shape, last = opened.peek();
  const areFiles = last?.found === data.peek() && last?.found.origins?.["x"]?.kind === "files";
  if (!shape || !areFiles || String(shape) === String(last?.found.sampleShape)) return;
  void openSamples(last!.files, reading.peek()).catch(fail);
});
