import { bytesOf, type Bytes } from "./bytes.js";
import { GradmoteError } from "./errors.js";
import { explained } from "./explained.js";
import { readFile } from "#platform";

/** A source of bytes: a URL (in node also a path), a response, a file, or memory. */
export type Source = string | URL | Response | Blob | Bytes | Promise<Response>;

/** Returns all bytes of a source. `what` is its name in messages. */
export async function readSource(source: Source, what: string, signal?: AbortSignal): Promise<Uint8Array> {
  const opened = await openSource(source, what, signal);
  return isResponse(opened) ? new Uint8Array(await arrived(opened.arrayBuffer(), what, opened.url, signal)) : opened;
}

/** Returns the bytes of a source; if it is on the network, the response, whose bytes still arrive. */
export async function openSource(source: Source, what: string, signal?: AbortSignal): Promise<Response | Uint8Array> {
  const found = await arrived(source, what);
  if (isAddress(found)) {
    return (await readFile?.(found)) ?? goodResponse(await arrived(fetch(found, { signal }), what, found, signal), what);
  }
  if (isResponse(found)) return goodResponse(found, what);
  if (typeof Blob !== "undefined" && found instanceof Blob) return new Uint8Array(await arrived(found.arrayBuffer(), what));
  return bytesOf(found as Bytes, what);
}

/** Returns whether a value is the address of bytes. */
export function isAddress(found: unknown): found is string | URL {
  return typeof found === "string" || found instanceof URL;
}

/** Returns whether a value is the response of a fetch. */
export function isResponse(found: unknown): found is Response {
  return typeof Response !== "undefined" && found instanceof Response;
}

/** Waits for a promise. Rethrows an abort as it is; turns any other failure into a GradmoteError. */
async function arrived<T>(coming: T | Promise<T>, what: string, from?: string | URL, signal?: AbortSignal): Promise<T> {
  try {
    return await coming;
  } catch (cause) {
    signal?.throwIfAborted();
    throw explained(cause, `${what} cannot be fetched from ${from || "there"}`, "check the address and the connection");
  }
}

function goodResponse(response: Response, what: string): Response {
  if (response.ok) return response;
  throw new GradmoteError(`${what} is not at ${response.url}: ${response.status} ${response.statusText}`, "check the address");
}
