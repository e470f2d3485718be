import { data, model } from "../state";
import { Missing } from "../parts/missing";

export function DataPanel() {
  return (
    <section class="panel">
      <h2>Data</h2>
      {data.value ? (
        <p>{data.value.name}: {data.value.count} samples.</p>
      ) : (
        <Missing step="model" action={model.value ? "See the examples" : "Open a model"}>
          There is no data yet. An example of the model step brings its samples along.
        </Missing>
      )}
    </section>
  );
}
