import type { Form } from "../module-name.js";

/** Returns the file name of a form. */
export function moduleName(form: Form): string {
  return `gradmote-infer${form}.wasm`;
}
