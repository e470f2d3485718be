// The service worker, which opens the page without a network. A new version waits until the user asks for it, so that
// it does not end a training: the page announces it (../update.ts).

import { FILES } from "./build";
import { dropUnnamed, presentFile, versionedFile } from "./compiler-files";
import { dropOtherFiles, keepFiles, keptFile } from "./kept-files";
import { scope, worker } from "./scope";

worker.addEventListener("install", (event) => event.waitUntil(keepFiles()));
worker.addEventListener("activate", (event) => event.waitUntil(begin()));
worker.addEventListener("fetch", (event) => {
  const answer = answerTo(event.request, (work) => event.waitUntil(work));
  if (answer) event.respondWith(answer);
});
worker.addEventListener("message", (event) => event.waitUntil(takeOver(event.source)));

async function begin(): Promise<void> {
  await Promise.all([dropOtherFiles(), dropUnnamed()]);
  await worker.clients.claim();
}

/** Returns the answer to a request; undefined leaves it to the browser. */
function answerTo(request: Request, later: (work: Promise<unknown>) => void): Promise<Response> | undefined {
  const url = new URL(request.url);
  if (request.method !== "GET" || request.headers.has("range") || !url.protocol.startsWith("http")) return undefined;
  if (url.origin !== worker.location.origin) return versionedFile(request, later);
  if (!url.href.startsWith(scope)) return undefined;
  const path = url.pathname.slice(new URL(scope).pathname.length) || "index.html";
  const integrity = FILES.get(path);
  return integrity ? keptFile(path, integrity) : presentFile(request, later);
}

/** Takes over from the earlier version if the asking page is the only open one; others may be training. */
async function takeOver(source: Client | ServiceWorker | MessagePort | null): Promise<void> {
  const open = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const ours = open.filter(({ url }) => url.startsWith(scope));
  if (ours.length > 1) source?.postMessage("another page is open");
  else await worker.skipWaiting();
}
