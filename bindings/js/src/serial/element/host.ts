import type { Board, BoardData } from "../index.js";
import type { Manifest } from "./manifest.js";

/** What an element is doing; the event state-changed reports each change. */
export type BoardState =
  | "idle" | "initializing" | "connected" | "preparing" | "writing" | "training" | "saving" | "finished" | "error";

/** The detail of the event state-changed. */
export interface StateDetail {
  state: BoardState;
  message: string;
  /** For "writing": bytes; for "training": epoch, step, loss; for "error": the error's name. */
  details?: Record<string, unknown>;
}

/** The element as its views see it. */
export interface Host extends HTMLElement {
  readonly board: Board | null;
  readonly data: BoardData | null;
  readonly test: BoardData | null;
  readonly epochs: number;
  readonly state: BoardState;
  enter(state: BoardState, message: string, details?: Record<string, unknown>): void;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  manifest(): Promise<Manifest>;
  image(): Promise<Uint8Array>;
}
