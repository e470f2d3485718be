// What the board is busy with: one piece of work at a time, which goes on while other panels show.

import { signal } from "@preact/signals";
import type { Board } from "gradmote/serial";
import { fail, inform } from "../notice";
import { spoken } from "../state";
import { connected, tell } from "./connection";

export interface Work {
  title: string;
  /** From 0 to 1; null where nobody knows. */
  share: number | null;
  words: string;
}

/** What a piece of work is given. */
export interface Tools {
  board: Board;
  signal: AbortSignal;
  /** Tells how far it is. */
  at: (share: number | null, words: string) => void;
  /** Tells how many bytes have gone over the line. */
  onProgress: (done: number, total: number) => void;
}

export const work = signal<Work | null>(null);

/** Milliseconds between two announcements. */
const QUIET = 8000;

let stopping = new AbortController();

export function stop(): void {
  stopping.abort();
}

/** Does something with the board, then asks it for its new state. `action` returns what is told at its end. */
export async function run(title: string, action: (tools: Tools) => Promise<string>): Promise<void> {
  if (work.value) return;
  const { signal: ended } = (stopping = new AbortController());
  work.value = { title, share: null, words: "" };
  try {
    const said = await action({ board: connected(), signal: ended, at: progress(title), onProgress: bytes(title) });
    await tell();
    inform(said);
  } catch (error) {
    if (ended.aborted) inform(`${title}: stopped`);
    else fail(error);
    await tell().catch(() => undefined); // a board that is gone was told of
  } finally {
    work.value = null;
  }
}

function progress(title: string): Tools["at"] {
  let said = performance.now();
  return (share, words) => {
    work.value = { title, share, words };
    if (performance.now() - said < QUIET) return;
    said = performance.now();
    spoken.value = `${title}: ${words}`;
  };
}

function bytes(title: string): Tools["onProgress"] {
  const at = progress(title);
  return (done, total) => at(done / total, `${done.toLocaleString("en")} of ${total.toLocaleString("en")} bytes`);
}
