// The parameters that a delta includes, and the bits of its numbers.
import { DataError } from "../errors.js";

/** Names of parameters, or shell patterns of names: "conv*", "layer[12].weight". */
export type Shared = string | readonly string[];

/** Returns a mask, with bit i % 8 of byte i / 8 set if parameter i is sent; empty if all are. */
export function sharedMask(names: readonly string[], shared?: Shared): Uint8Array {
  if (shared === undefined) return new Uint8Array();
  const mask = new Uint8Array((names.length + 7) >> 3);
  for (const pattern of typeof shared === "string" ? [shared] : shared) {
    const wanted = expression(pattern), found = names.flatMap((name, i) => (wanted.test(name) ? [i] : []));
    if (!found.length) throw new DataError(`no parameter is called '${pattern}'`, `there are ${names.join(", ")}`);
    for (const i of found) mask[i >> 3] |= 1 << (i & 7);
  }
  return mask;
}

/** Returns `bits`, the size of a delta's numbers. Throws DataError unless it is 2, 4 or 8. */
export function checkBits(bits: number): number {
  if ([2, 4, 8].includes(bits)) return bits;
  throw new DataError(`a delta of ${bits} bits does not exist`, "use one of 2, 4, 8");
}

/** Returns a shell pattern as a regular expression: * is any text, ? any character, and [ab] or [!ab] a choice. */
function expression(pattern: string): RegExp {
  const parts = pattern.match(/\[!?\]?[^\]]*\]|[^]/gu) ?? [];
  return new RegExp(`^(?:${parts.map(part).join("")})$`, "su");
}

function part(text: string): string {
  if (text === "*") return ".*";
  if (text === "?") return ".";
  if (text.length < 3) return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  const choice = text.slice(1, -1).replace(/[\\[\]^&~|]/gu, "\\$&");
  return choice.startsWith("!") ? `[^${choice.slice(1)}]` : `[${choice}]`;
}
