import type { Form } from "../module-name.js";

/** Returns the name of the file that holds a form. */
export function moduleName(form: Form): string {
  return `gradmote-infer${form}.wasm`;
}
