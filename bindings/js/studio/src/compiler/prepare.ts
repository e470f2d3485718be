// The compiler is loaded before it is needed, on devices where it was used before: its files are there, and a model that
// is dropped then waits for nothing.

import { effect } from "@preact/signals";
import { compiler } from "./client";

/** The key under which this device remembers that the compiler was used. */
const USED = "gradmote-studio-compiler-used";

/** Loads the compiler once the page has drawn, where it was used before, and remembers when it is. */
export function prepareCompiler(): void {
  effect(() => {
    document.documentElement.dataset.compiler = compiler.state.value;
    if (compiler.state.value === "ready") remember();
  });
  if (wasUsed()) later(() => void compiler.load().catch(() => undefined)); // who needs it tries again, and is told
}

function later(work: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(work, 500);
}

function wasUsed(): boolean {
  try {
    return localStorage.getItem(USED) !== null;
  } catch {
    return false; // a browser that keeps nothing for this page
  }
}

function remember(): void {
  try {
    localStorage.setItem(USED, "yes");
  } catch {
    // as above
  }
}
