// What a script tag needs: the files lie beside the script.
import { moduleName, type Form } from "./module-name.js";
export { moduleName, type Form } from "./module-name.js";
import { lineTo } from "./lines.browser.js";
import type { Line } from "./messages.js";

/** The address of this script, which is known while it runs for the first time; in a worker that of the worker. */
const HERE = (typeof document !== "undefined" && (document.currentScript as HTMLScriptElement | null)?.src) || globalThis.location?.href;

/** Returns the address of a file that lies beside this script. */
export function beside(name: string): URL {
  return new URL(name, HERE);
}

/** Returns where a form of the runtime lies. */
export function moduleAddress(form: Form): URL {
  return beside(moduleName(form));
}

/** Reads a file of this computer: a page has none, all is fetched. */
export const readFile: ((address: string | URL) => Promise<Uint8Array | undefined>) | undefined = undefined;

/** Starts the worker that lies beside this script. */
export function openWorker(): Line {
  return lineTo(new Worker(beside("worker.min.js")));
}

export { workerLine } from "./lines.browser.js";
