// The board's current work: one action at a time, which continues while other panels show.

import { signal } from "@preact/signals";
import type { Board } from "gradmote/serial";
import { fail, inform } from "../notice";
import { spoken } from "../state";
import { connected, tell } from "./connection";

export interface Work {
  title: string;
  /** From 0 to 1; null if unknown. */
  share: number | null;
  words: string;
}

/** What an action receives. */
export interface Tools {
  board: Board;
  signal: AbortSignal;
  /** Reports progress. */
  at: (share: number | null, words: string) => void;
  /** Reports how many bytes have gone over the line. */
  onProgress: (done: number, total: number) => void;
}

export const work = signal<Work | null>(null);

/** Milliseconds between two announcements. */
const QUIET = 8000;

let stopping = new AbortController();

export function stop(): void {
  stopping.abort();
}

/** Runs an action on the board, then asks it for its new state. `action` returns the message to show at its end. */
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
    await tell().catch(() => undefined); // if the board is gone, that was reported already
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
