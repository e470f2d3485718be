// Installing the page as an application, where the browser offers it.

import { signal } from "@preact/signals";

interface InstallEvent extends Event {
  prompt(): Promise<{ outcome: "accepted" | "dismissed" }>;
}

/** The browser's offer; null where it made none, or where it was taken. */
export const installOffer = signal<InstallEvent | null>(null);

/** Listens for the offer, which comes once the page is kept for use without a network. */
export function awaitInstallOffer(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // the page has a button for it
    installOffer.value = event as InstallEvent;
  });
  addEventListener("appinstalled", () => (installOffer.value = null));
}

/** Has the browser ask the user. An offer can be used once. */
export async function install(): Promise<void> {
  const offer = installOffer.value;
  installOffer.value = null;
  await offer?.prompt();
}
