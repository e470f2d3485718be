import { useId } from "preact/hooks";
import { compiler } from "../compiler/client";
import { attempt } from "../notice";
import { Card } from "../parts/card";
import { exact } from "../parts/format";
import { model } from "../state";
import { exportModel, forgetKept, keepHere, openCheckpoint, reopenKept, saveCheckpoint } from "./checkpoint";
import { state, status } from "./run";

/** What the model learned: save it, keep it in this browser, open it again. */
export function StateCard() {
  const busy = status.value === "running" || status.value === "stopping", id = useId();
  const reason = whyNoExport();
  const button = (text: string, action: () => Promise<void>, off = busy) => (
    <button type="button" disabled={off} onClick={() => void attempt(action)}>{text}</button>
  );
  return (
    <Card title="State" class="state" hint="The numbers that training changes: parameters, moments and counters.">
      {state.value && (
        <dl class="facts">
          <div><dt>Updates</dt><dd data-steps>{exact(state.value.steps)}</dd></div>
          <div class="long">
            <dt>SHA-256, equal on a board of the strict profile</dt>
            <dd><code data-digest>{state.value.digest}</code></dd>
          </div>
        </dl>
      )}
      <div class="row">
        {button("Save checkpoint", saveCheckpoint)}
        <OpenCheckpoint disabled={busy} />
        <button type="button" disabled={busy || reason !== ""} aria-describedby={id} onClick={() => void attempt(exportModel)}>
          Export ONNX
        </button>
      </div>
      <p class="soft small" id={id}>{reason || compiler.progress.value || exportHint()}</p>
      <div class="row">
        {button("Keep in this browser", keepHere)}
        {button("Reopen what was kept", reopenKept)}
        <button type="button" class="quiet" disabled={busy} onClick={() => void attempt(forgetKept)}>Forget it</button>
      </div>
    </Card>
  );
}

function OpenCheckpoint({ disabled }: { disabled: boolean }) {
  const id = useId();
  const pick = (event: Event) => {
    const input = event.target as HTMLInputElement, [file] = input.files ?? [];
    if (file) void attempt(() => openCheckpoint(file));
    input.value = "";
  };
  return (
    <span>
      <input class="unseen" type="file" id={id} accept=".gmck" disabled={disabled} onChange={pick} data-checkpoint />
      <label class={disabled ? "button off" : "button"} for={id}>Open checkpoint</label>
    </span>
  );
}

function exportHint(): string {
  const failed = compiler.state.value === "failed" ? " The compiler, which writes it, could not be loaded; this button tries again." : "";
  return `The ONNX file gets the parameters as they are now.${failed}`;
}

/** Returns why nothing can be exported; empty if it can. */
function whyNoExport(): string {
  if (!model.value?.onnx) return "To export ONNX, open the ONNX file in the model step: the image alone has no graph.";
  return "";
}
