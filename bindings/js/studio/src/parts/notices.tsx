import { effect } from "@preact/signals";
import { notice, spoken } from "../state";

/** How long a notice of something done shows, in milliseconds; an error shows until it is dismissed. */
const SHOWN = 8000;

effect(() => {
  const told = notice.value;
  if (told?.kind !== "info") return;
  const timer = setTimeout(() => notice.value === told && (notice.value = null), SHOWN);
  return () => clearTimeout(timer);
});

/** The live regions: what went wrong or was done, and progress for screen readers. */
export function Notices() {
  const { kind, text, hint } = notice.value ?? { kind: "info", text: "", hint: "" };
  return (
    <>
      <div class="notices" role={kind === "error" ? "alert" : "status"}>
        {text && (
          <div class={`notice ${kind}`}>
            <p>
              <strong>{text}</strong>
              {hint && <span class="hint"> {hint}</span>}
            </p>
            <button type="button" class="quiet" onClick={() => (notice.value = null)}>
              Dismiss
            </button>
          </div>
        )}
      </div>
      <div class="unseen" role="status">{spoken}</div>
    </>
  );
}
