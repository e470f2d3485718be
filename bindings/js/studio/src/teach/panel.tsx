/** Teaching by hand: the user draws or records samples of classes, and a model learns to distinguish them. */
import { useState } from "preact/hooks";
import "../style/teach.css";

import { dims } from "../data/wording";
import { attempt, inform } from "../notice";
import { Missing } from "../parts/missing";
import { show } from "../route";
import { data, session } from "../state";
import { Classes } from "./classes";
import { startOver, course, stopTraining, train } from "./course";
import { asDataset, lessons, look, wanted } from "./lessons";
import { Prediction } from "./prediction";
import { SourceCard } from "./source";

export function TeachPanel() {
  return (
    <section class="panel">
      <h2>Teach</h2>
      <Lecture />
    </section>
  );
}

function Lecture() {
  const model = wanted(), seen = look();
  if (!session.value || !model) return <Missing step="model" action="Open a model">Teaching needs a model.</Missing>;
  if (!model.classes) {
    return <Missing step="model" action="Open another model">{model.name} gives no scores of classes, so no classes can be taught.</Missing>;
  }
  if (!seen) {
    const shape = dims(model.inputs[0]?.shape ?? []);
    return <Missing step="data" action="Choose data">{model.name} takes samples of {shape}, which are not pictures. Give such samples as data.</Missing>;
  }
  return (
    <div class="teach">
      <div class="stack">
        <SourceCard look={seen} />
        <Prediction />
      </div>
      <div class="stack">
        <Classes look={seen} most={model.classes} />
        <Course />
      </div>
    </div>
  );
}

function Course() {
  const [epochs, setEpochs] = useState(30);
  const isOn = course.value !== null, isEmpty = lessons.value.every(({ samples }) => !samples.length);
  const use = () => {
    data.value = asDataset();
    inform("What was taught is the data now", "the Train step trains on it");
    show("train");
  };
  return (
    <section class="card course" aria-label="Training">
      <div class="row">
        <label class="field passes">
          Passes
          <input type="number" min={1} max={1000} value={epochs} onInput={(event) => setEpochs(event.currentTarget.valueAsNumber)} />
        </label>
        {isOn ? (
          <button type="button" class="primary" onClick={stopTraining}>Stop</button>
        ) : (
          <button type="button" class="primary" disabled={isEmpty || !(epochs >= 1)} onClick={() => void attempt(() => train(Math.round(epochs)))}>Train</button>
        )}
        <button type="button" disabled={isOn} onClick={() => void attempt(startOver)}>Start over</button>
        <button type="button" class="quiet" disabled={isOn || isEmpty} onClick={use}>Use as data</button>
      </div>
      <Far />
    </section>
  );
}

function Far() {
  if (!course.value) return null;
  const { epoch, epochs, loss } = course.value;
  return (
    <div class="row reading">
      <progress value={epoch} max={epochs} aria-label="Training" />
      <output class="figure">{epoch} of {epochs}{Number.isFinite(loss) && `, loss ${loss.toPrecision(3)}`}</output>
    </div>
  );
}
