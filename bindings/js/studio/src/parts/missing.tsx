import type { ComponentChildren } from "preact";
import { show, type Step } from "../route";

/** What a panel shows where it lacks something: what that is, and the step that has it. */
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
