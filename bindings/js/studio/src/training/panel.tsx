import { Missing } from "../parts/missing";
import { data, session } from "../state";

export function TrainingPanel() {
  if (!session.value) return <Panel><Missing step="model" action="Open a model">Training needs a model.</Missing></Panel>;
  if (!data.value) return <Panel><Missing step="data" action="Choose data">Training needs samples.</Missing></Panel>;
  return <Panel><p>{data.value.count} samples are ready.</p></Panel>;
}

function Panel({ children }: { children: preact.ComponentChildren }) {
  return (
    <section class="panel">
      <h2>Train</h2>
      {children}
    </section>
  );
}
