/** Formats text from files for messages: in one line, and short. */

/** Characters that control a terminal or the direction of writing, and halves of surrogate pairs. */
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** The most characters of a cell or a name in a message. */
const LONGEST = 40;
/** The most names in a list. */
const NAMED = 12;
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const COUNTS = new Intl.NumberFormat("en");

/** Returns a path, a name or an error's text, in one line. */
export function named(text: string): string {
  return text.replace(CONTROLS, escaped);
}

/** Returns the text of a cell or a name in quotes, cut if it is long. */
export function quoted(text: string): string {
  return `'${named(text.length <= LONGEST ? text : text.slice(0, LONGEST - 3) + "...")}'`;
}

/** Returns the texts separated by commas; lists the first ones and counts the others. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, NAMED).map((text) => named(text).slice(0, LONGEST)).join(", ");
  return shown + (texts.length > NAMED ? ` and ${counted(texts.length - NAMED)} more` : "");
}

/** Returns the shape of a sample as text: `1x8x8`, or `one number`. */
export function dims(shape: readonly number[]): string {
  return shape.join("x") || "one number";
}

/** Returns an integer with commas between the thousands. */
export function counted(count: number): string {
  return COUNTS.format(count);
}

/** Returns a number with at most six digits. */
export function figure(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value).toLowerCase();
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return SHORT[character] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`);
}
