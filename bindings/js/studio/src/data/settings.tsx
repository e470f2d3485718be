/** How to read the files: the label's column, the header, and the scale. */
import { useState } from "preact/hooks";

import { attempt } from "../notice";
import type { Dataset } from "./dataset";
import { progress, readAgain, reading } from "./open";
import type { Reading, Scaling } from "./reading";

/** The scales that can be chosen by name. */
const SCALES: Record<string, { title: string; scaling: Scaling }> = {
  own: { title: "As it is; pictures 0 .. 1", scaling: { scale: null, zero: null } },
  unit: { title: "Bytes to 0 .. 1", scaling: { scale: 1 / 255, zero: 0 } },
  signed: { title: "Bytes to -1 .. 1", scaling: { scale: 1 / 127.5, zero: 127.5 } },
  standard: { title: "Mean 0, deviation 1", scaling: "standard" },
};
const HEADERS: Record<string, boolean | null> = { looked: null, yes: true, no: false };

function read(change: Partial<Reading>): void {
  void attempt(() => readAgain(change));
}

export function Settings({ data }: { data: Dataset }) {
  return (
    <fieldset class="card fields" disabled={progress.value !== null}>
      <legend class="unseen">How the files are read</legend>
      {data.columns && <Label columns={data.columns} />}
      {data.columns && <Header />}
      <Scale />
    </fieldset>
  );
}

function Label({ columns }: { columns: string[] }) {
  const { label } = reading.value, several = label !== null && !columns.includes(label);
  return (
    <label class="field">
      Column of the label
      <select value={label ?? columns.at(-1)} onChange={(event) => read({ label: event.currentTarget.value })}>
        {several && <option value={label}>{label}</option>}
        {columns.map((column) => <option key={column} value={column}>{column}</option>)}
      </select>
    </label>
  );
}

function Header() {
  const chosen = Object.keys(HEADERS).find((name) => HEADERS[name] === reading.value.header);
  return (
    <label class="field">
      First line
      <select value={chosen} onChange={(event) => read({ header: HEADERS[event.currentTarget.value]!, label: null })}>
        <option value="looked">Looked at</option>
        <option value="yes">Names of columns</option>
        <option value="no">A sample</option>
      </select>
    </label>
  );
}

function Scale() {
  const { scaling } = reading.value;
  const named = Object.keys(SCALES).find((name) => JSON.stringify(SCALES[name]!.scaling) === JSON.stringify(scaling));
  const [typing, setTyping] = useState(!named);
  const choose = (name: string) => {
    setTyping(name === "typed");
    if (SCALES[name]) read({ scaling: SCALES[name].scaling });
  };
  return (
    <>
      <label class="field">
        Scale of the samples
        <select value={typing ? "typed" : named} onChange={(event) => choose(event.currentTarget.value)}>
          {Object.entries(SCALES).map(([name, { title }]) => <option key={name} value={name}>{title}</option>)}
          <option value="typed">(x - zero) * scale</option>
        </select>
      </label>
      {typing && <Typed scaling={scaling} />}
    </>
  );
}

function Typed({ scaling }: { scaling: Scaling }) {
  const { scale, zero } = scaling === "standard" ? { scale: 1, zero: 0 } : { scale: scaling.scale ?? 1, zero: scaling.zero ?? 0 };
  const take = (change: { scale?: number; zero?: number }) => {
    const wanted = { scale, zero, ...change };
    if (Number.isFinite(wanted.scale) && Number.isFinite(wanted.zero)) read({ scaling: wanted });
  };
  return (
    <>
      <label class="field">
        Zero
        <input type="number" step="any" value={zero} onChange={(event) => take({ zero: event.currentTarget.valueAsNumber })} />
      </label>
      <label class="field">
        Scale
        <input type="number" step="any" value={scale} onChange={(event) => take({ scale: event.currentTarget.valueAsNumber })} />
      </label>
    </>
  );
}
