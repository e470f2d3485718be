import { Card, Figures } from "../parts/card";
import { exact, percent, short, width } from "../parts/format";
import { result } from "./run";

/** The most classes with a readable table of confusions. */
const MOST = 20;

/** How well the model does: figures, and which classes it confused. */
export function ResultCard({ names }: { names: string[] }) {
  const found = result.value;
  if (!found) return null;
  const figures: [string, string][] = [];
  if (found.accuracy !== null) figures.push([percent(found.accuracy), "accuracy"]);
  if (found.loss !== null) figures.push([short(found.loss), "loss"]);
  figures.push([exact(found.count), found.on]);
  return (
    <Card title="Result" class="result">
      <Figures of={figures} />
      {found.confusion && found.confusion.length <= MOST && <Confusion table={found.confusion} names={names} />}
      {found.confusion && <PerClass table={found.confusion} names={names} open={found.confusion.length > MOST} />}
    </Card>
  );
}

function Confusion({ table, names }: { table: number[][]; names: string[] }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Confusion matrix">
      <table class="confusion">
        <caption>Rows: the label. Columns: what the model said.</caption>
        <thead>
          <tr>
            <td />
            {table.map((_, column) => <th scope="col" key={column}>{nameOf(names, column)}</th>)}
          </tr>
        </thead>
        <tbody>
          {table.map((row, label) => (
            <tr key={label}>
              <th scope="row">{nameOf(names, label)}</th>
              {row.map((count, column) => <Cell key={column} count={count} row={row} right={column === label} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ count, row, right }: { count: number; row: number[]; right: boolean }) {
  const share = count / Math.max(1, row.reduce((sum, one) => sum + one, 0));
  const strength = count ? Math.round(14 + 34 * share) : 0; // text stays readable on the strongest colour
  const colour = right ? "var(--good)" : "var(--bad)";
  const style = count ? { background: `color-mix(in srgb, ${colour} ${strength}%, var(--surface))` } : {};
  return <td class={share > 0.6 ? "strong" : ""} style={style}>{count || <span class="zero">0</span>}</td>;
}

function PerClass({ table, names, open }: { table: number[][]; names: string[]; open: boolean }) {
  return (
    <details open={open}>
      <summary>Each class by itself</summary>
      <ul class="bars">
        {table.map((row, label) => {
          const all = row.reduce((sum, count) => sum + count, 0);
          return <ClassBar key={label} name={nameOf(names, label)} right={row[label]!} all={all} />;
        })}
      </ul>
    </details>
  );
}

function ClassBar({ name, right, all }: { name: string; right: number; all: number }) {
  return (
    <li>
      <span class="name">{name}</span>
      <span class="bar" aria-hidden="true"><i style={width(all ? right / all : 0)} /></span>
      <span class="figure">{all ? `${right} of ${all}` : "none"}</span>
    </li>
  );
}

function nameOf(names: string[], index: number): string {
  return names[index] ?? String(index);
}
