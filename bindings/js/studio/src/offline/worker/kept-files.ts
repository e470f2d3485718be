// The files of the page, kept under the hashes of their contents. Two versions share equal files, and the files of the
// running version stay until the next one takes over. A file that differs from the listed one is never kept.

import { FILES } from "./build";
import { scope } from "./scope";

const CACHE = "gradmote-studio-files";

/** Fetches the files that are not kept yet. Throws if a file is missing, or from another version. */
export async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await Promise.all([...FILES].map(([path, integrity]) => keep(cache, path, integrity)));
}

async function keep(cache: Cache, path: string, integrity: string): Promise<void> {
  if (await cache.match(key(integrity))) return;
  const response = await fetch(new URL(path, scope), { integrity, cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await cache.put(key(integrity), response);
}

/** Returns a file of this version; fetches it if the browser has discarded it. */
export async function keptFile(path: string, integrity: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(key(integrity))) ?? fetch(new URL(path, scope));
}

/** Removes the files that only earlier versions had. */
export async function dropOtherFiles(): Promise<void> {
  const cache = await caches.open(CACHE), wanted = new Set([...FILES.values()].map(key));
  for (const { url } of await cache.keys()) if (!wanted.has(url)) await cache.delete(url);
}

function key(integrity: string): string {
  return new URL(`kept/${encodeURIComponent(integrity)}`, scope).href;
}
