import { signal } from "@preact/signals";

export interface Settings {
  epochs: number;
  rate: number;
  schedule: "constant" | "linear";
  /** The percentage of steps in which the rate rises. */
  warmup: number;
  /** The percentage of samples to hold out. */
  held: number;
  shuffle: boolean;
  seed: number;
}

export const settings = signal<Settings>({
  epochs: 10,
  rate: 0.01,
  schedule: "constant",
  warmup: 5,
  held: 20,
  shuffle: true,
  seed: 1,
});

/** Changes some of the settings. */
export function change(some: Partial<Settings>): void {
  settings.value = { ...settings.value, ...some };
}
