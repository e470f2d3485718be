// Formats numbers as `gradmote analyze` does.

const UNITS = [["G", 1e9], ["M", 1e6], ["k", 1e3]] as const;

/** Returns all digits of an integer: 33,280. */
export function exact(count: number): string {
  return Math.round(count).toLocaleString("en");
}

/** Returns a number of bytes: 33,280 B. */
export function bytes(count: number): string {
  return `${exact(count)} B`;
}

/** Returns a count with three digits and a unit: 78.2 k. */
export function rounded(count: number): string {
  const [unit, size] = UNITS.find(([, least]) => count >= 0.9995 * least) ?? ["", 1];
  return unit ? `${Number((count / size).toPrecision(3))} ${unit}` : count.toFixed(0);
}

/** Returns a share in percent: 97.3 %. */
export function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}

/** Returns a share as a width in CSS. */
export function width(share: number): { width: string } {
  return { width: `${(100 * share).toFixed(1)}%` };
}

/** Returns a loss with four significant digits, or with three and an exponent. */
export function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
}

/** Returns a shape: 8 × 1 × 8 × 8. */
export function shaped(shape: readonly number[]): string {
  return shape.length ? shape.join(" × ") : "a number";
}
