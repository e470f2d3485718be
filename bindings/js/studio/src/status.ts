import { info } from "./board/connection";
import { work } from "./board/work";
import { percent } from "./parts/format";
import { data, model, session } from "./state";
import { progress, result, status } from "./training/run";
import type { Step } from "./route";

/** Returns a step's status in a few words, for the list of steps. */
export function statusOf(step: Step): string {
  if (step === "model") return model.value?.name ?? "none open";
  if (step === "data") return data.value ? `${data.value.count.toLocaleString("en")} samples` : "none yet";
  if (step === "train") return training();
  if (step === "teach") return session.value ? "ready" : "needs a model";
  return board();
}

function board(): string {
  if (work.value) return work.value.title.toLowerCase();
  if (info.value) return info.value.name;
  return "serial" in navigator ? "not connected" : "no WebSerial here";
}

function training(): string {
  if (!session.value) return "needs a model";
  const now = progress.value;
  if (status.value === "paused") return "paused";
  if (status.value !== "idle" && now) return `epoch ${now.epoch} of ${now.epochs}`;
  if (result.value) return result.value.accuracy === null ? "trained" : percent(result.value.accuracy);
  return data.value ? "ready" : "needs data";
}
