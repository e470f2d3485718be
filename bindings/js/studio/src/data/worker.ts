/** Reads files in a worker, so that the page never waits for them. */
import { arraysOf, rangeOf } from "./dataset";
import { decodeByCanvas } from "./pictures/images";
import { said } from "./problem";
import { readSamples } from "./read";
import type { Answer, Question } from "./reader";

/** Milliseconds between two progress messages. */
const PAUSE = 50;

const worker = globalThis as unknown as {
  postMessage(answer: Answer, transfer?: Transferable[]): void;
  onmessage: (event: MessageEvent<Question>) => void;
};

worker.onmessage = async ({ data: { files, reading } }) => {
  let last = 0;
  const progress = (part: number) => {
    if (performance.now() - last < PAUSE) return;
    last = performance.now();
    worker.postMessage({ progress: part });
  };
  try {
    const found = await readSamples(files, { reading, progress, decode: decodeByCanvas });
    const arrays = arraysOf(found), ranges = arrays.map(rangeOf);
    worker.postMessage({ found, ranges }, [found.x.buffer, found.y.buffer] as ArrayBuffer[]);
  } catch (error) {
    const { text = said(error), hint = "check the file, and give it again" } = error as { text?: string; hint?: string };
    worker.postMessage({ error: { text, hint } });
  }
};
