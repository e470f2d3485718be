// What the compiler in the page loads, kept once it was loaded: Pyodide's files and the wheels. Another origin's
// addresses have Pyodide's version in them, so that a kept file stays right. Those beside the page may change, so they
// are asked for first, and what is kept helps where there is no answer.

import { scope } from "./scope";

const CACHE = "gradmote-studio-compiler";
/** The file that says where Pyodide is, and which wheels there are. */
const SETTINGS = new URL("pyodide.json", scope).href;
/** A network that is there but does not answer is waited for so long. */
const PATIENCE_MS = 5000;

type Later = (work: Promise<unknown>) => void;

/** Returns a file of another origin. `later` keeps the worker alive for work. */
export async function versionedFile(request: Request, later: Later): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(request.url)) ?? fetched(request.url, cache, later);
}

/** Returns a file beside the page: the present one, or that which is kept. */
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

/** Removes what belongs to another Pyodide, or to an earlier wheel. */
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
