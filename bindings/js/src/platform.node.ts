// The differences between node and browsers.
import { readFile as read } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parentPort, Worker } from "node:worker_threads";
import { GradmoteError } from "./errors.js";
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

/** Returns the bytes of a local file; undefined for an address on the network, which is fetched. */
export async function readFile(address: string | URL): Promise<Uint8Array | undefined> {
  const text = String(address);
  if (/^(https?|data|blob):/.test(text)) return undefined;
  try {
    return await read(text.startsWith("file:") ? fileURLToPath(text) : text);
  } catch (cause) {
    throw new GradmoteError(`${text} cannot be read (${(cause as NodeJS.ErrnoException).code})`, "check the path", { cause });
  }
}

/** Starts the worker in this file's folder. */
export function openWorker(): Line {
  const worker = new Worker(new URL("./worker.node.mjs", import.meta.url));
  return {
    send: (message, transfer = []) => worker.postMessage(message, transfer),
    receive: (listener) => void worker.on("message", (message) => listener(message as never)),
    close: () => void worker.terminate(),
    failed: (listener) => {
      worker.on("error", ({ message }) => listener(message));
      worker.on("exit", (code) => listener(`its exit code is ${code}`));
    },
  };
}

/** Returns the line from a worker to the program that started it. */
export function workerLine(): Line {
  return {
    send: (message, transfer = []) => parentPort!.postMessage(message, transfer),
    receive: (listener) => void parentPort!.on("message", (message) => listener(message as never)),
    close: () => parentPort!.close(),
    failed: () => undefined,
  };
}
