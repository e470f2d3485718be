import { signal } from "@preact/signals";

/** The steps of the page, in the order of the work. The address names the current one. */
export const STEPS = ["model", "data", "train", "teach", "board"] as const;
export type Step = (typeof STEPS)[number];

function named(): Step {
  const name = location.hash.slice(1);
  return STEPS.find((step) => step === name) ?? "model";
}

export const step = signal<Step>(named());

addEventListener("hashchange", () => (step.value = named()));

/** Goes to a step. */
export function show(next: Step): void {
  location.hash = next;
}
