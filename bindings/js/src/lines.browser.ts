import type { Line } from "./line.js";

/** Returns the line to a worker that has just started. */
export function lineTo(worker: Worker): Line {
  return {
    send: (message, transfer = []) => worker.postMessage(message, transfer),
    receive: (listener) => (worker.onmessage = ({ data }) => listener(data as never)),
    close: () => worker.terminate(),
    failed: (listener) => (worker.onerror = ({ message }) => listener(message ?? "its script is missing or forbidden")),
  };
}

/** Returns the line from a worker to its page. */
export function workerLine(): Line {
  return lineTo(globalThis as unknown as Worker);
}
