// What differs between browsers and node; bundlers find the two files by their addresses, and copy them.

import { lineTo } from "./lines.browser.js";
import type { Line } from "./messages.js";

/** The names of the two forms of the runtime. */
export type Form = "simd" | "plain";

export { moduleName } from "./module-name.js";

/** Returns where a form of the runtime lies. */
export function moduleAddress(form: Form): URL {
  return form === "simd"
    ? new URL("./gradmote-simd.wasm", import.meta.url)
    : new URL("./gradmote.wasm", import.meta.url);
}

/** Returns a file of this computer: in a page there is none, all is fetched. */
export async function readFile(_address: string | URL): Promise<Uint8Array | undefined> {
  return undefined;
}

/** Starts the worker that lies beside this file. */
export function openWorker(): Line {
  return lineTo(new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" }));
}

export { workerLine } from "./lines.browser.js";
