import { Card } from "../parts/card";
import { CheckField, NumberField } from "../parts/fields";
import { short } from "../parts/format";
import { Missing } from "../parts/missing";
import { data } from "../state";
import { Chart, type Line } from "../training/chart";
import { change, settings } from "../training/settings";
import { info, isSameModel } from "./connection";
import { points, testHeld, train } from "./training";
import { work } from "./work";
import { WorkButton, Working } from "./working";

const TITLES = ["Training", "Testing"];

/** Trains the board on the page's data. */
export function TrainingCard() {
  const what = "Training on the board";
  if (!info.value || !isSameModel.value) return <Card title={what}><p class="soft">Send the page's model first: its data is then trained on there.</p></Card>;
  if (!data.value) return <Card title={what}><Missing step="data" action="Choose data">Training needs samples.</Missing></Card>;
  return (
    <Card title={what} hint="With the settings, the split and the order of the Train step: a strict board then ends in the page's bits.">
      <Fields />
      <div class="row">
        <WorkButton title="Train on the board" work={TITLES[0]!} action={train} primary />
        <WorkButton title="Test" work={TITLES[1]!} action={testHeld} />
      </div>
      <Working titles={TITLES} />
      <Curve />
    </Card>
  );
}

function Fields() {
  const { epochs, rate, held, shuffle } = settings.value, disabled = work.value !== null;
  return (
    <div class="fields">
      <NumberField label="Epochs" value={epochs} min={1} max={10000} disabled={disabled} onValue={(epochs) => change({ epochs })} />
      <NumberField label="Learning rate" value={rate} min={0} max={1000} step="any" disabled={disabled} onValue={(rate) => change({ rate })} />
      <NumberField label="Held out, %" value={held} min={0} max={90} disabled={disabled} onValue={(held) => change({ held })} />
      <CheckField label="Shuffle in each epoch" checked={shuffle} disabled={disabled} onValue={(shuffle) => change({ shuffle })} />
    </div>
  );
}

/** The loss as the board reports it, step by step. */
function Curve() {
  const shown = points.value;
  if (!shown.length) return <p class="empty soft">The loss of each step on the board will appear here.</p>;
  const x = shown.map(({ step }) => step), lines: Line[] = [{ name: "Loss on the board", token: "--curve-1", values: shown.map(({ loss }) => loss) }];
  const losses = shown.flatMap(({ loss }) => (loss === null ? [] : [loss]));
  const label = losses.length ? `Loss on the board over ${x.at(-1)} steps: from ${short(losses[0]!)} to ${short(losses.at(-1)!)}` : "Loss on the board: none yet";
  return <Chart label={label} x={x} lines={lines} />;
}
