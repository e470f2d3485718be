// Like platform.node.ts of the whole package, with the modules that only infer.
import type { Form } from "../module-name.js";
export type { Form } from "../platform.node.js";
export { openWorker, readFile, workerLine } from "../platform.node.js";
export { moduleName } from "./module-name.js";

/** Returns the address of a form of the runtime. */
export function moduleAddress(form: Form): URL {
  switch (form) {
    case "": return new URL("./gradmote-infer.wasm", import.meta.url);
    case "-simd": return new URL("./gradmote-infer-simd.wasm", import.meta.url);
    case "-int8": return new URL("./gradmote-infer-int8.wasm", import.meta.url);
    case "-int8-simd": return new URL("./gradmote-infer-int8-simd.wasm", import.meta.url);
  }
}
