/** A training on the taught samples: the panel starts it, stops it, and shows its progress. */
import { signal } from "@preact/signals";
import { DataError, GradmoteError } from "gradmote";

import { isAbort } from "../data/problem";
import { inform } from "../notice";
import { session, spoken } from "../state";
import { known, lessons, wanted } from "./lessons";
import { score, teach, type Progress } from "./teacher";

/** The progress of training; null when none is running. */
export const course = signal<Progress | null>(null);
let under: AbortController | undefined;

/** Trains on the taught samples. Throws if that is impossible; the state is then as the runtime left it. */
export async function train(epochs: number): Promise<void> {
  const open = session.value, model = wanted();
  if (!open || !model?.classes) throw new GradmoteError("no model of classes is open", "open one");
  requireLessons(model.classes);
  under = new AbortController();
  course.value = { epoch: 0, epochs, loss: NaN };
  try {
    const onProgress = (progress: Progress) => void (course.value = progress);
    await teach({ session: open, lessons: lessons.value, batch: model.batch, epochs, signal: under.signal, onProgress });
    await told(open, model.batch, model.classes);
  } catch (error) {
    if (!isAbort(error)) throw error;
    inform("Training has stopped", "the model keeps what it has learned so far");
  } finally {
    course.value = null;
  }
}

export function stopTraining(): void {
  under?.abort();
}

/** Resets the model to its state before any training. */
export async function startOver(): Promise<void> {
  await session.value?.reset();
  known.value = null;
  inform("The model has forgotten what it was taught", "the recorded samples are still there");
}

/** Throws DataError if fewer than two classes have samples, or there are more classes than the model has. */
function requireLessons(classes: number): void {
  const taught = lessons.value.filter(({ samples }) => samples.length).length;
  if (lessons.value.length > classes) {
    throw new DataError(`${lessons.value.length} classes are taught, and the model distinguishes ${classes}`, "remove some");
  }
  if (taught < 2) throw new DataError(`${taught} classes have samples`, "record some of two classes at least");
}

async function told(open: NonNullable<typeof session.value>, batch: number, classes: number): Promise<void> {
  known.value = await score(open, lessons.value, batch, classes);
  const right = known.value.reduce((sum, count) => sum + count, 0);
  const all = lessons.value.reduce((sum, { samples }) => sum + samples.length, 0);
  spoken.value = `Trained. The model knows ${right} of ${all} samples.`;
}
