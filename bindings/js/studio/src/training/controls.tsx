import { Card } from "../parts/card";
import { CheckField, ChoiceField, NumberField } from "../parts/fields";
import { exact, short } from "../parts/format";
import { attempt } from "../notice";
import { data } from "../state";
import { pause, progress, reset, resume, start, status, stop } from "./run";
import { change, settings } from "./settings";

const SCHEDULES = { constant: "Constant", linear: "Warm-up, then linear" };

/** The settings of the training, its buttons, and its progress. */
export function Controls() {
  const busy = status.value !== "idle";
  return (
    <Card title="Training" class="controls">
      <Fields disabled={busy} />
      <div class="row">
        {busy ? <Running /> : <button type="button" class="primary" onClick={() => void start()}>Train</button>}
        <button type="button" class="quiet" disabled={busy} onClick={() => void attempt(reset)}>Start over</button>
      </div>
      <HowFar />
    </Card>
  );
}

function Running() {
  const paused = status.value === "paused", ending = status.value === "stopping";
  return (
    <>
      <button type="button" class="primary" disabled={ending} onClick={paused ? resume : pause}>
        {paused ? "Go on" : "Pause"}
      </button>
      <button type="button" disabled={ending} onClick={stop}>Stop</button>
    </>
  );
}

function Fields({ disabled }: { disabled: boolean }) {
  const { epochs, rate, schedule, warmup, held, shuffle, seed } = settings.value;
  return (
    <div class="fields">
      <NumberField label="Epochs" value={epochs} min={1} max={10000} disabled={disabled} onValue={(epochs) => change({ epochs })} />
      <NumberField label="Learning rate" value={rate} min={0} max={1000} step="any" disabled={disabled} onValue={(rate) => change({ rate })} />
      <ChoiceField
        label="Schedule"
        value={schedule}
        choices={SCHEDULES}
        disabled={disabled}
        onValue={(value) => change({ schedule: value === "linear" ? "linear" : "constant" })}
      />
      {schedule === "linear" && (
        <NumberField label="Warm-up, % of steps" value={warmup} min={0} max={100} disabled={disabled} onValue={(warmup) => change({ warmup })} />
      )}
      <NumberField label="Held out, %" value={held} min={0} max={90} disabled={disabled || Boolean(data.value?.heldOut)} onValue={(held) => change({ held })} />
      {shuffle && (
        <NumberField label="Seed of the order" value={seed} min={0} max={4294967295} disabled={disabled} onValue={(seed) => change({ seed })} />
      )}
      <CheckField label="Shuffle in each epoch" checked={shuffle} disabled={disabled} onValue={(shuffle) => change({ shuffle })} />
    </div>
  );
}

/** The progress of the training, as a bar and in words. */
function HowFar() {
  const now = progress.value;
  if (!now) return <p class="soft small">A worker trains, so the page stays quick. If you leave this step, training goes on.</p>;
  const { epoch, epochs, step, steps, perSecond, loss } = now;
  return (
    <div class="far">
      <progress value={step} max={steps} aria-label="Steps of this training" />
      <dl class="facts">
        <div><dt>Epoch</dt><dd>{epoch} of {epochs}</dd></div>
        <div><dt>Steps</dt><dd>{exact(step)} of {exact(steps)}</dd></div>
        <div><dt>Steps a second</dt><dd>{exact(perSecond)}</dd></div>
        <div><dt>Loss</dt><dd>{loss === null ? "-" : short(loss)}</dd></div>
      </dl>
    </div>
  );
}
