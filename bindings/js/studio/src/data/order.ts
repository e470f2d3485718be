/** Compares texts as Python sorts them: by code points. */
export function byCodePoint(first: string, second: string): number {
  for (let at = 0; ; at++) {
    const one = first.codePointAt(at) ?? -1, other = second.codePointAt(at) ?? -1;
    if (one !== other) return one - other;
    if (one === -1) return 0;
  }
}
