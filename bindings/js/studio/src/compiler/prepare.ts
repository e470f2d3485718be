// Loads the compiler ahead of its use, on devices that used it before: its files are there, and a dropped model then
// compiles without delay.

import { effect } from "@preact/signals";
import { compiler } from "./client";

/** The key under which this device remembers that the compiler was used. */
const USED = "gradmote-studio-compiler-used";

/** Loads the compiler once the page has drawn, if this device used it before, and remembers its use. */
export function prepareCompiler(): void {
  effect(() => {
    document.documentElement.dataset.compiler = compiler.state.value;
    if (compiler.state.value === "ready") remember();
  });
  if (wasUsed()) later(() => void compiler.load().catch(() => undefined)); // a later use reports the error
}

function later(work: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 500);
}

function wasUsed(): boolean {
  try {
    return localStorage.getItem(USED) !== null;
  } catch {
    return false; // the browser keeps nothing for this page
  }
}

function remember(): void {
  try {
    localStorage.setItem(USED, "yes");
  } catch {
    // the browser keeps nothing for this page
  }
}
