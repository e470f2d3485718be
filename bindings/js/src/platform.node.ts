// What differs between node and browsers.
import { readFile as read } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { GradmoteError } from "./errors.js";
import type { Form } from "./platform.browser.js";
export type { Form } from "./platform.browser.js";

/** Returns where a form of the runtime lies. */
export function moduleAddress(form: Form): URL {
  return form === "simd"
    ? new URL("./gradmote-simd.wasm", import.meta.url)
    : new URL("./gradmote.wasm", import.meta.url);
}

/** Returns a file of this computer; undefined for an address of the network, which is fetched. */
export async function readFile(address: string | URL): Promise<Uint8Array | undefined> {
  const text = String(address);
  if (/^(https?|data|blob):/.test(text)) return undefined;
  try {
    return await read(text.startsWith("file:") ? fileURLToPath(text) : text);
  } catch (cause) {
    throw new GradmoteError(`${text} cannot be read (${(cause as NodeJS.ErrnoException).code})`, "check the path", { cause });
  }
}
