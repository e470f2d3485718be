/** Parses the cells of tables as Python does. */

/** The characters that Python's str.strip() removes. */
const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const AROUND = new RegExp(`^${SPACE}+|${SPACE}+$`, "g");
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const DECIMAL_COMMA = new RegExp(`^${SPACE}*[+-]?\\p{Nd}+,\\p{Nd}+${SPACE}*$`, "u");
const NOT_FINITE = /^[+-]?(nan|inf|infinity)$/i;
/** Numbers from here on round to float32's infinity: its largest number plus half a unit in the last place. */
const BEYOND = 2 ** 128 - 2 ** 103;

/** Returns the text without surrounding space. */
export function strip(text: string): string {
  const first = text.charCodeAt(0), last = text.charCodeAt(text.length - 1);
  return first > 32 && first < 127 && last > 32 && last < 127 ? text : text.replace(AROUND, "");
}

/** Returns the number in a cell; NaN if there is none. */
export function numberOf(cell: string): number {
  const text = strip(cell);
  return NUMBER.test(text) ? Number(text) : NaN;
}

/** Returns whether the number is in float32's range. */
export function isFloat32(value: number): boolean {
  return -BEYOND < value && value < BEYOND;
}

/** Returns whether the number in a cell has a decimal comma. */
export function hasDecimalComma(cell: string): boolean {
  return DECIMAL_COMMA.test(cell);
}

/**
 * Returns whether a cell is meant as a number. NaN, infinity and decimal commas count, so that they are neither headers
 * nor names of classes.
 */
export function isNumber(cell: string): boolean {
  const text = strip(cell);
  return NUMBER.test(text) || NOT_FINITE.test(text) || DECIMAL_COMMA.test(text);
}
