/** The suffix of a module's name: int8 instructions, and vectors. */
export type Form = `${"" | "-int8"}${"" | "-simd"}`;

/** Returns the file name of a form. */
export function moduleName(form: Form): string {
  return `gradmote${form}.wasm`;
}
