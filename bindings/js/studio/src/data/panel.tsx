/** The data panel: a place to drop data, what was read, and whether the model takes it. */
import "../style/data.css";

import { data, model } from "../state";
import { Missing } from "../parts/missing";
import { Choose } from "./choose";
import { partsOf, rangeOf, type Dataset } from "./dataset";
import { emptyClasses, notFinite, problems, verdict, type Expected } from "./fit";
import { clearData, expected, opened, progress } from "./open";
import { Samples } from "./samples";
import { Settings } from "./settings";
import { Arrays, Classes, type Row } from "./tables";
import { counted, dims, listed } from "./wording";

export function DataPanel() {
  return (
    <section class="panel" aria-busy={progress.value !== null}>
      <h2>Data</h2>
      <Choose />
      <Taken />
      {data.value ? (
        <Found data={data.value} />
      ) : (
        <Missing step="model" action={model.value ? "See the examples" : "Open a model"}>
          There is no data yet. Give some here, or open an example, which brings its samples along.
        </Missing>
      )}
    </section>
  );
}

/** What the open model takes. */
function Taken() {
  const wanted = expected();
  if (!wanted) return <p class="soft">No model is open, so samples may have any shape. Pictures keep their size.</p>;
  const labels = wanted.classes ? `classes 0 to ${wanted.classes - 1}` : wanted.labels.map(({ shape }) => `labels of ${dims(shape)}`).join(", ");
  return <p class="soft">{wanted.name} takes samples of {wanted.inputs.map(({ shape }) => dims(shape)).join(" and ")}{labels && `, and ${labels}`}.</p>;
}

function Found({ data: found }: { data: Dataset }) {
  const rows = rowsOf(found), wanted = expected();
  return (
    <>
      <div class="described">
        <div class="stack">
          <div class="card given">
            <div class="row spread">
              <h3>{found.name}</h3>
              <button type="button" class="quiet" onClick={clearData}>Clear</button>
            </div>
            <p>{counted(found.count - (found.heldOut ?? 0))} samples{found.heldOut && `, and ${counted(found.heldOut)} to test on`}</p>
            {wanted && <Verdict data={found} wanted={wanted} />}
            <Notes data={found} />
          </div>
          {opened.value?.found === found && <Settings data={found} />}
          <Arrays rows={rows} />
        </div>
        {found.classes.length > 0 && <Classes data={found} />}
      </div>
      {rows[0] && <Samples data={found} range={rows[0].range} />}
    </>
  );
}

function Verdict({ data: found, wanted }: { data: Dataset; wanted: Expected }) {
  const [problem] = problems(found, wanted);
  if (!problem) return <p class="verdict good">{verdict(found, wanted)}</p>;
  return <p class="verdict bad"><strong>{problem.text}</strong> <span class="hint">{problem.hint}</span></p>;
}

/** What was done to the samples, and what the user should know about them. */
function Notes({ data: found }: { data: Dataset }) {
  const empty = emptyClasses(found);
  const notes = [...found.notes, ...notFinite(found), ...(empty.length ? [`no sample is of ${listed(empty)}`] : [])];
  return notes.length ? <ul class="remarks">{notes.map((note) => <li key={note}>{note}</li>)}</ul> : null;
}

function rowsOf(found: Dataset): Row[] {
  return partsOf(found).flatMap(({ part, ending }) => [
    { name: `x${ending}`, count: part.count, shape: found.sampleShape, range: rangeOf(part.x) },
    ...(part.y.length ? [{ name: `y${ending}`, count: part.count, shape: found.labelShape, range: rangeOf(part.y) }] : []),
  ]);
}
