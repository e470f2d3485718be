/** What follows the first word of a module's name: int8's instructions, and vectors. */
export type Form = `${"" | "-int8"}${"" | "-simd"}`;

/** Returns the name of the file that holds a form. */
export function moduleName(form: Form): string {
  return `gradmote${form}.wasm`;
}
