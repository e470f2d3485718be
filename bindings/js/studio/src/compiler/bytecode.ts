// The bytecode of Python's modules, kept in the browser: compiling their sources is a large part of the start-up.

import type { PyodideAPI } from "pyodide";
import source from "./bytecode.py";

const CACHE = "gradmote-studio-bytecode";

/** The bytecode of one exact set of files. In a browser that keeps nothing, its methods do nothing. */
export class Bytecode {
  #address: string;
  #restored = false;

  private constructor(digest: string) {
    this.#address = new URL(`bytecode/${digest}`, location.href).href;
  }

  static async of(files: ArrayBuffer[]): Promise<Bytecode> {
    const whole = await new Blob(files).arrayBuffer();
    const digest = globalThis.crypto?.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", whole)) : [];
    return new Bytecode([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }

  /** Unpacks the kept bytecode beside the sources. */
  async restore(python: PyodideAPI): Promise<void> {
    const kept = await (await cache())?.match(this.#address);
    if (!kept) return;
    python.unpackArchive(await kept.arrayBuffer(), "zip", { extractDir: "/" });
    this.#restored = true;
  }

  /** Keeps the bytecode of all loaded modules, instead of any other. */
  async keep(python: PyodideAPI): Promise<void> {
    if (this.#restored) return;
    this.#restored = true;
    const kept = await cache();
    if (!kept) return;
    const archive = python.runPython(`${source}\narchive()`).toJs() as Uint8Array<ArrayBuffer>;
    for (const { url } of await kept.keys()) await kept.delete(url);
    await kept.put(this.#address, new Response(archive));
  }
}

async function cache(): Promise<Cache | undefined> {
  return globalThis.caches?.open(CACHE).catch(() => undefined);
}
