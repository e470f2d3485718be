/** The model's prediction for the current sample. */
import { effect, signal } from "@preact/signals";

import { fail } from "../notice";
import { session } from "../state";
import { course } from "./course";
import { current, known, lessons, wanted } from "./lessons";
import { predict } from "./teacher";

/** The probability of each class; null if there is no sample. */
const said = signal<number[] | null>(null);

let isAsking = false;

/** Asks for each new sample and after each training, one request at a time. */
effect(() => {
  void known.value;
  if (!current.value || !session.value || course.value) said.value = null;
  else if (!isAsking) void ask();
});

async function ask(): Promise<void> {
  isAsking = true;
  try {
    for (let sample = null; current.value && !course.value && sample !== current.value; ) {
      const open = session.value, model = wanted();
      sample = current.value;
      if (!open || !model?.classes) break;
      const [values] = await predict(open, [sample], model.batch, model.classes);
      if (open === session.value && current.value) said.value = values ?? null;
    }
  } catch (error) {
    if (session.value) fail(error);
  } finally {
    isAsking = false;
  }
}

export function Prediction() {
  const values = said.value, best = values ? values.indexOf(Math.max(...values)) : -1;
  return (
    <section class="card" aria-labelledby="says-title">
      <h3 id="says-title">The model says</h3>
      <p class="said" aria-live="polite">{values ? (lessons.value[best]?.name ?? `class ${best}, which is not taught`) : "Nothing yet: there is nothing to look at."}</p>
      <table class="classes says">
        <thead class="unseen"><tr><th>Class</th><th>Probability</th></tr></thead>
        <tbody>
          {lessons.value.map(({ name }, number) => (
            <tr key={number}>
              <th scope="row" title={name}>{name}</th>
              <td class="n">{values ? `${Math.round(100 * (values[number] ?? 0))} %` : ""}</td>
              <td class="portion" aria-hidden="true"><i style={{ width: `${100 * (values?.[number] ?? 0)}%` }} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
