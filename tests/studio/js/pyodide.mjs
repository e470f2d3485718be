// A folder of Pyodide served beside the page, as `gradmote studio --pyodide` does, and the compiler's worker itself.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { root } from "./studio.mjs";

/** Returns what answers for the page's pyodide.json and for `pyodide/`. `change` may alter the settings. */
export function pyodideFrom(folder, change = (settings) => settings) {
  return async (path) => {
    if (path === "/pyodide.json") {
      const settings = JSON.parse(await readFile(join(root, "pyodide.json"), "utf8"));
      return Buffer.from(JSON.stringify(change({ ...settings, base: "pyodide/" })));
    }
    if (!path.startsWith("/pyodide/")) return undefined;
    return readFile(join(folder, path.slice("/pyodide/".length))).catch(() => null);
  };
}

const TYPES = { ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };

/** Serves the folder at another origin, as the public address is one, and returns what answers for pyodide.json. */
export async function pyodideElsewhere(folder) {
  const server = createServer(async ({ url }, response) => {
    const data = await readFile(join(folder, url)).catch(() => undefined);
    const headers = { "access-control-allow-origin": "*", "content-type": TYPES[extname(url)] ?? "application/octet-stream" };
    response.writeHead(data ? 200 : 404, headers).end(data);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  server.unref();
  const base = `http://127.0.0.1:${server.address().port}/`;
  return pyodideFrom(folder, (settings) => ({ ...settings, base }));
}

/** Starts the compiler's worker in the page as `ask(call, ...values)`; it takes and returns arrays of numbers for bytes. */
export async function startWorker(page) {
  await page.evaluate(() => {
    const worker = new Worker(new URL("compiler.mjs", location.href), { type: "module" });
    const waiting = new Map();
    globalThis.progress = [];
    worker.onmessage = ({ data }) => {
      if ("progress" in data) return progress.push(data.progress);
      waiting.get(data.id)(data);
    };
    let last = 0;
    const bytesOf = (value) => (Array.isArray(value) ? new Uint8Array(value) : value);
    globalThis.ask = async (call, ...values) => {
      const id = ++last, reply = new Promise((done) => waiting.set(id, done));
      worker.postMessage(call === "load" ? { id, load: true } : { id, call, values: values.map(bytesOf) });
      const { value, failure } = await reply;
      const plain = (one) => (one instanceof Uint8Array ? [...one] : one);
      return failure ? { failure } : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
    };
  });
  return (...given) => page.evaluate((values) => ask(...values), given);
}
