// Installs the page as an application, if the browser offers that.

import { signal } from "@preact/signals";

interface InstallEvent extends Event {
  prompt(): Promise<{ outcome: "accepted" | "dismissed" }>;
}

/** The browser's offer; null if it made none, or the user took it. */
export const installOffer = signal<InstallEvent | null>(null);

/** Listens for the offer, which comes once the page is kept for offline use. */
export function awaitInstallOffer(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // the page has a button for it
    installOffer.value = event as InstallEvent;
  });
  addEventListener("appinstalled", () => (installOffer.value = null));
}

/** Makes the browser ask the user. An offer works only once. */
export async function install(): Promise<void> {
  const offer = installOffer.value;
  installOffer.value = null;
  await offer?.prompt();
}
