import { signal } from "@preact/signals";
import { exact } from "../parts/format";
import { attempt } from "../notice";
import { readJson } from "./examples";

/** A board, as gradmote.device.boards describes it; sizes are in bytes. */
export interface Board {
  name: string;
  title: string;
  profile: string;
  arena_available: number;
  image_area: number;
  code: number;
  flash: number;
  /** The tools that flash a real part; empty for a board that is only emulated. */
  upload: Record<string, string>;
}

/** A board, and what it lacks for a model; `lacks` is empty if the model fits. */
export interface Judged {
  board: Board;
  lacks: string[];
}

/** All boards with firmware. */
export const boards = signal<Board[]>([]);

export async function loadBoards(): Promise<void> {
  if (!boards.value.length) await attempt(async () => (boards.value = await readJson<Board[]>("boards.json")));
}

/** Returns the boards by how well a model of these sizes fits: first those that lack nothing, from small to large. */
export function judged(arena: number, image: number): Judged[] {
  const all = boards.value.map((board) => ({ board, lacks: lacking(board, arena, image) }));
  return all.sort((a, b) => a.lacks.length - b.lacks.length || a.board.arena_available - b.board.arena_available);
}

/** Returns how many bytes of RAM and flash a model lacks beside the firmware; empty if it fits. */
export function lacking(board: Board, arena: number, image: number): string[] {
  const needs = [
    ["RAM", arena, board.arena_available],
    ["flash", image, board.image_area],
    ["flash", board.code, board.flash],
  ] as const;
  const short = needs.filter(([, size, available]) => size > available);
  return short.map(([kind, size, available]) => `${exact(size - available)} B of ${kind}`);
}
