// Which parameters a delta has, and in how many bits.
import { DataError } from "../errors.js";

/** Names of parameters, or patterns of them as of a shell: "conv*", "layer[12].weight". */
export type Shared = string | readonly string[];

/** Returns bit i % 8 of byte i / 8 for each parameter that is sent; no bytes where all are. */
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

/** Returns the bits of a number of a delta. Throws DataError where there is no such delta. */
export function checkBits(bits: number): number {
  if ([2, 4, 8].includes(bits)) return bits;
  throw new DataError(`a delta of ${bits} bits does not exist`, "use one of 2, 4, 8");
}

/** Returns the regular expression of a pattern of a shell, where * is any text, ? any letter, and [ab] or [!ab] a choice. */
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
