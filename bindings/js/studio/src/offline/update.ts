// Registers the service worker, and tells of a new version. It takes over when the user says so, and never under a page
// that works: a training that runs goes on with the version that it began with.

import { signal } from "@preact/signals";
import { inform } from "../notice";

/** The worker of a new version, which waits. */
export const newVersion = signal<ServiceWorker | null>(null);
/** Whether the page opens without a network from now on. */
export const keptOffline = signal(false);

let asked = false;

/** Keeps the page for use without a network, where the browser can. */
export async function keepOffline(): Promise<void> {
  const workers = navigator.serviceWorker;
  if (!workers) return; // an address that is neither local nor encrypted
  workers.addEventListener("controllerchange", () => asked && location.reload());
  workers.addEventListener("message", () => inform("The studio is open in another tab", "close that one, then reload"));
  const registration = await workers.register("offline.js", { updateViaCache: "none" }).catch(() => undefined);
  if (!registration) return; // the browser keeps nothing for this page, as in a private window
  watch(registration);
  document.addEventListener("visibilitychange", () => document.hidden || void check(registration));
  await workers.ready;
  keptOffline.value = true;
}

/** Asks for a new version; without a network there is none. */
async function check(registration: ServiceWorkerRegistration): Promise<void> {
  await registration.update().catch(() => undefined);
}

function watch(registration: ServiceWorkerRegistration): void {
  const look = () => {
    newVersion.value = registration.active ? registration.waiting : null;
  };
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", look));
  look();
}

/** Lets the new version take over, and loads the page anew. */
export function takeNewVersion(): void {
  asked = true;
  newVersion.value?.postMessage("take over");
}
