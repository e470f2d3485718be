// Like platform.script.ts of the whole package, with the modules that only infer.
import { beside } from "../platform.script.js";
import type { Form } from "../module-name.js";
import { moduleName } from "./module-name.js";
export type { Form } from "../platform.browser.js";
export { openWorker, readFile, workerLine } from "../platform.script.js";
export { moduleName } from "./module-name.js";

/** Returns the address of a form of the runtime. */
export function moduleAddress(form: Form): URL {
  return beside(moduleName(form));
}
