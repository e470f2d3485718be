import type { ComponentChildren } from "preact";
import { show, type Step } from "../route";

/** What a panel shows if it lacks something: what is missing, and the step that provides it. */
export function Missing({ step, action, children }: { step?: Step; action?: string; children: ComponentChildren }) {
  return (
    <div class="missing">
      <p>{children}</p>
      {step && (
        <button type="button" onClick={() => show(step)}>
          {action}
        </button>
      )}
    </div>
  );
}
