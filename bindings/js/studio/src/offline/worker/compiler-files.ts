// The files that the compiler in the page loads, kept once loaded: Pyodide's files and the wheels. Addresses at another
// origin include Pyodide's version, so a kept file stays valid. Files beside the page may change: they are fetched
// first, and the kept ones serve if there is no answer.

import { scope } from "./scope";

const CACHE = "gradmote-studio-compiler";
/** The file with Pyodide's address and the list of wheels. */
const SETTINGS = new URL("pyodide.json", scope).href;
/** How long to wait for a network that does not answer. */
const PATIENCE_MS = 5000;

type Later = (work: Promise<unknown>) => void;

/** Returns a file from another origin. `later` keeps the worker alive until a promise settles. */
export async function versionedFile(request: Request, later: Later): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(request.url)) ?? fetched(request.url, cache, later);
}

/** Returns a file beside the page: the present one, or else the kept one. */
export async function presentFile(request: Request, later: Later): Promise<Response> {
  const cache = await caches.open(CACHE), kept = await cache.match(request.url);
  const present = fetched(request.url, cache, later);
  if (!kept) return present;
  const patience = new Promise<Response>((done) => setTimeout(done, PATIENCE_MS, kept));
  return Promise.race([present.catch(() => kept), patience]);
}

async function fetched(url: string, cache: Cache, later: Later): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache" });
  if (response.ok) later(cache.put(url, response.clone()));
  return response;
}

/** Removes the files of other Pyodide versions and of earlier wheels. */
export async function dropUnnamed(): Promise<void> {
  const cache = await caches.open(CACHE), settings = await cache.match(SETTINGS);
  if (!settings) return;
  const { base, wheels } = (await settings.json()) as { base: string; wheels: string[] };
  const wanted = new Set([SETTINGS, ...wheels.map((wheel) => new URL(wheel, scope).href)]);
  const pyodide = new URL(base, scope).href;
  for (const { url } of await cache.keys()) {
    if (!wanted.has(url) && !url.startsWith(pyodide)) await cache.delete(url);
  }
}
