// The connected board, and its last report about itself. It stays connected while other panels show.

import { computed, signal } from "@preact/signals";
import { Board, DeviceError, type BoardInfo, type BoardStore, type Memory, type SerialPortLike } from "gradmote/serial";
import { fail, inform } from "../notice";
import { model } from "../state";

export const board = signal<Board | null>(null);
export const info = signal<BoardInfo | null>(null);
export const memory = signal<Memory | null>(null);
/** The sample store of the board's model; null if it has none. */
export const store = signal<BoardStore | null>(null);
/** The updates that led to the board's state, and the state's SHA-256; null if it has no model. */
export const state = signal<{ updates: number; digest: string } | null>(null);
/** What the board printed between answers. */
export const printed = signal("");

/** The number of printed characters to keep. */
const KEPT = 4000;

/** Whether the board and the page have the same model: then checkpoints go both ways. */
export const isSameModel = computed(() => {
  const [told, opened] = [info.value, model.value];
  return told?.status === 0 && opened !== null && told.modelId === hex(opened.image.subarray(16, 32));
});

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Lets the user choose a port, and connects to its board. */
export function connect(baudRate: number): Promise<void> {
  return use(Board.request({ baudRate, onText }));
}

/** Connects to a port that the user chose before. */
export function connectAgain(port: SerialPortLike, baudRate: number): Promise<void> {
  return use(Board.open(port, { baudRate, onText }));
}

async function use(opening: Promise<Board>): Promise<void> {
  const opened = await opening;
  board.value = opened;
  void opened.closed.then((reason) => {
    if (board.value !== opened) return;
    [board.value, info.value, memory.value, store.value, state.value] = [null, null, null, null, null];
    if (reason) fail(reason);
  });
  try {
    await tell();
  } catch (error) {
    await opened.close();
    throw error;
  }
  inform(`${opened.info().name} is connected`);
}

export async function disconnect(): Promise<void> {
  await board.value?.close();
}

/** Returns the board. Throws DeviceError if none is connected. */
export function connected(): Board {
  if (board.value) return board.value;
  throw new DeviceError("LOST", "no board is connected", "connect one in the board step");
}

/** Asks the board for its identity, memory, store and state. */
export async function tell(): Promise<void> {
  const opened = connected(), told = await opened.refresh(), hasModel = told.status === 0;
  memory.value = await opened.mem();
  store.value = hasModel ? await storeOf(opened) : null;
  state.value = hasModel ? await stateOf(opened) : null;
  info.value = told;
}

async function stateOf(opened: Board): Promise<{ updates: number; digest: string }> {
  const { optimizerSteps } = await opened.metrics(), bytes = await opened.state();
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return { updates: optimizerSteps, digest: hex(new Uint8Array(digest)) };
}

function storeOf(opened: Board): Promise<BoardStore | null> {
  return opened.store().catch((error: { error?: string }) => {
    if (error.error !== "NO_STORE") throw error;
    return null;
  });
}

function onText(text: string): void {
  printed.value = (printed.value + text).slice(-KEPT);
}

/** Types a line as in a terminal. */
export async function type(line: string): Promise<void> {
  const answer = await connected().type(line);
  onText(answer);
  await tell();
}
