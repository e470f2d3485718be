// The differences between browsers and node. Bundlers find the modules by their addresses, and copy them.

import { lineTo } from "./lines.browser.js";
import type { Line } from "./line.js";
import type { Form } from "./module-name.js";

export { moduleName, type Form } from "./module-name.js";

/** Returns the address of a form of the runtime. */
export function moduleAddress(form: Form): URL {
  switch (form) {
    case "": return new URL("./gradmote.wasm", import.meta.url);
    case "-simd": return new URL("./gradmote-simd.wasm", import.meta.url);
    case "-int8": return new URL("./gradmote-int8.wasm", import.meta.url);
    case "-int8-simd": return new URL("./gradmote-int8-simd.wasm", import.meta.url);
  }
}

/** Reads a local file; undefined here, as a page fetches everything. */
export const readFile: ((address: string | URL) => Promise<Uint8Array | undefined>) | undefined = undefined;

/** Starts the worker in this file's folder. */
export function openWorker(): Line {
  return lineTo(new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" }));
}

export { workerLine } from "./lines.browser.js";
