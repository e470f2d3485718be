// What a script tag needs: the other files are in the script's folder.
import { moduleName, type Form } from "./module-name.js";
export { moduleName, type Form } from "./module-name.js";
import { lineTo } from "./lines.browser.js";
import type { Line } from "./line.js";

/** The address of this script, which is known only while it first runs; in a worker, the worker's address. */
const HERE = (typeof document !== "undefined" && (document.currentScript as HTMLScriptElement | null)?.src) || globalThis.location?.href;

/** Returns the address of a file in this script's folder. */
export function beside(name: string): URL {
  return new URL(name, HERE);
}

/** Returns the address of a form of the runtime. */
export function moduleAddress(form: Form): URL {
  return beside(moduleName(form));
}

/** Reads a local file; undefined here, as a page fetches everything. */
export const readFile: ((address: string | URL) => Promise<Uint8Array | undefined>) | undefined = undefined;

/** Starts the worker in this script's folder. */
export function openWorker(): Line {
  return lineTo(new Worker(beside("worker.min.js")));
}

export { workerLine } from "./lines.browser.js";
