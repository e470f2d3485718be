import { useState } from "preact/hooks";
import { attempt, inform } from "../notice";
import { Card } from "../parts/card";
import { NumberField } from "../parts/fields";
import { exact, short } from "../parts/format";
import { data } from "../state";
import { info, isSameModel, store } from "./connection";
import { addToData, forget, learn, read, replay, score, sensed } from "./sensor";
import { WorkButton, Working } from "./working";

const TITLES = ["Reading", "Learning", "Forgetting", "Training on its samples", "Scoring"];
const HINT = "Firmware with a sensor writes what it measures into the model's input. With other firmware, it is the sample that was sent last.";

/** Samples from the board's sensor, for the page's data or for the store on the board. */
export function SensorCard() {
  const [label, setLabel] = useState(0);
  if (info.value?.status !== 0) return null;
  const kept = store.value, most = kept ? kept.classes - 1 : 999;
  return (
    <Card title="The board's sensor" hint={HINT}>
      <div class="class">
        <NumberField label={nameOf(label)} value={label} min={0} max={most} onValue={setLabel} />
      </div>
      <div class="row">
        <WorkButton title="Read it" work={TITLES[0]!} action={read} />
        <button type="button" disabled={!sensed.value || !isSameModel.value} onClick={() => void attempt(() => inform(addToData(label)))}>
          Add to the page's data
        </button>
      </div>
      <Sample />
      {kept && (
        <>
          <p>The board's own store has {exact(kept.kept)} of {exact(kept.capacity)} samples.</p>
          <div class="row">
            <WorkButton title="Learn it" work={TITLES[1]!} action={learn(label)} />
            <WorkButton title="Forget this class" work={TITLES[2]!} action={forget(label)} />
            <WorkButton title="Train on them" work={TITLES[3]!} action={replay} disabled={!kept.kept} />
            <WorkButton title="Score" work={TITLES[4]!} action={score} disabled={!kept.kept} />
          </div>
        </>
      )}
      <Working titles={TITLES} />
    </Card>
  );
}

function nameOf(label: number): string {
  const name = data.value?.classes[label];
  return name && name !== String(label) ? `Class (${name})` : "Class";
}

/** The sample as a line. */
function Sample() {
  const values = sensed.value;
  if (!values) return null;
  const least = values.reduce((a, b) => Math.min(a, b)), most = values.reduce((a, b) => Math.max(a, b));
  const last = Math.max(1, values.length - 1);
  const path = Array.from(values, (value, i) => `${(100 * i) / last},${95 - (90 * (value - least)) / (most - least || 1)}`).join(" ");
  return (
    <figure class="sensed">
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={`${values.length} numbers from ${short(least)} to ${short(most)}`}>
        <polyline points={path} />
      </svg>
      <figcaption class="soft small">{exact(values.length)} numbers, from {short(least)} to {short(most)}</figcaption>
    </figure>
  );
}
