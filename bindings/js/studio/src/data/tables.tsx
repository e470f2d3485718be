/** What was read: arrays with their ranges, and classes with their samples. */
import { classCounts, partsOf, type Dataset, type Range } from "./dataset";
import { counted, dims, figure } from "./wording";

/** An array of the data with its range. */
export interface Row {
  name: string;
  count: number;
  shape: number[];
  range: Range;
}

export function Arrays({ rows }: { rows: Row[] }) {
  return (
    <section class="card" aria-labelledby="arrays-title">
      <h3 id="arrays-title">Arrays</h3>
      <div class="wide" tabIndex={0} role="region" aria-label="Arrays">
        <table class="arrays">
          <thead>
            <tr><th>Array</th><th class="n">Samples</th><th>Of shape</th><th class="n">Least</th><th class="n">Largest</th><th class="n">Mean</th></tr>
          </thead>
          <tbody>{rows.map(rowOf)}</tbody>
        </table>
      </div>
    </section>
  );
}

function rowOf({ name, count, shape, range }: Row) {
  const known = (value: number) => (Number.isFinite(value) ? figure(value) : "");
  return (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td class="n">{counted(count)}</td>
      <td>{dims(shape)}</td>
      <td class="n">{known(range.least)}</td>
      <td class="n">{known(range.largest)}</td>
      <td class="n">{known(range.mean)}</td>
    </tr>
  );
}

/** The most classes to show. */
const MOST = 100;

export function Classes({ data }: { data: Dataset }) {
  const [counts, tested] = partsOf(data).map(({ part }) => classCounts(data.classes, part.y)), most = Math.max(...counts!, 1);
  return (
    <section class="card" aria-labelledby="classes-title">
      <h3 id="classes-title">{counted(data.classes.length)} classes</h3>
      <table class="classes">
        <thead class="unseen"><tr><th>Class</th><th>Samples</th>{tested && <th>To test on</th>}</tr></thead>
        <tbody>
          {data.classes.slice(0, MOST).map((name, number) => (
            <tr key={number}>
              <th scope="row" title={name}>{name}</th>
              <td class="n">{counted(counts![number]!)}{tested && <span class="soft"> + {counted(tested[number]!)} to test</span>}</td>
              <td class="portion" aria-hidden="true"><i style={{ width: `${(100 * counts![number]!) / most}%` }} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.classes.length > MOST && <p class="small soft">and {counted(data.classes.length - MOST)} more classes</p>}
    </section>
  );
}
