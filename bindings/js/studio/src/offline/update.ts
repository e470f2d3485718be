// Registers the service worker, and announces new versions. A new version takes over when the user says so, and never
// while the page is busy: a running training stays with its version.

import { signal } from "@preact/signals";
import { inform } from "../notice";

/** The waiting worker of a new version. */
export const newVersion = signal<ServiceWorker | null>(null);
/** Whether the page now opens without a network. */
export const keptOffline = signal(false);

let asked = false;

/** Keeps the page for offline use, if the browser can. */
export async function keepOffline(): Promise<void> {
  const workers = navigator.serviceWorker;
  if (!workers) return; // the address is neither local nor encrypted
  workers.addEventListener("controllerchange", () => asked && location.reload());
  workers.addEventListener("message", () => inform("The studio is open in another tab", "close that one, then reload"));
  const registration = await workers.register("offline.js", { updateViaCache: "none" }).catch(() => undefined);
  if (!registration) return; // the browser keeps nothing for this page, as in a private window
  watch(registration);
  document.addEventListener("visibilitychange", () => document.hidden || void check(registration));
  await workers.ready;
  keptOffline.value = true;
}

/** Checks for a new version; offline, there is none. */
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

/** Lets the new version take over, and reloads the page. */
export function takeNewVersion(): void {
  asked = true;
  newVersion.value?.postMessage("take over");
}
