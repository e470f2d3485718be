/** The page's end of the line to the worker that reads files. */
import { arraysOf, knowRange, type Dataset, type Range } from "./dataset";
import { DataError } from "./problem";
import type { Reading } from "./reading";
import type { Source, Watcher } from "./source";

export interface Question {
  files: Source[];
  reading: Reading;
}

export type Answer = { progress: number } | { found: Dataset; ranges: Range[] } | { error: { text: string; hint: string } };

/** Returns the samples in files. Throws DataError, or the signal's reason if it ends reading. */
export async function readInWorker(files: Source[], reading: Reading, { progress, signal }: Watcher): Promise<Dataset> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL("./data.mjs", import.meta.url), { type: "module", name: "data" });
  try {
    return await new Promise<Dataset>((done, failed) => {
      signal?.addEventListener("abort", () => failed(signal.reason));
      worker.onerror = ({ message }) => failed(new DataError(`reading has stopped (${message || "the worker did not start"})`, "load the page again"));
      worker.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
        if ("progress" in answer) progress?.(answer.progress);
        else if ("found" in answer) done(withRanges(answer));
        else failed(new DataError(answer.error.text, answer.error.hint));
      };
      worker.postMessage({ files, reading } satisfies Question);
    });
  } finally {
    worker.terminate();
  }
}

function withRanges({ found, ranges }: { found: Dataset; ranges: Range[] }): Dataset {
  arraysOf(found).forEach((values, index) => knowRange(values, ranges[index]!));
  return found;
}
