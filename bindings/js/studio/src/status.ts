import { data, model, session } from "./state";
import type { Step } from "./route";

/** Returns what a step has, in a few words, for the list of steps. */
export function statusOf(step: Step): string {
  if (step === "model") return model.value?.name ?? "none open";
  if (step === "data") return data.value ? `${data.value.count.toLocaleString("en")} samples` : "none yet";
  if (step === "train") return session.value ? "ready" : "needs a model";
  if (step === "teach") return session.value ? "ready" : "needs a model";
  return "serial" in navigator ? "not connected" : "no WebSerial here";
}
