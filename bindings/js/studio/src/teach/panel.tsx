import { Missing } from "../parts/missing";
import { session } from "../state";

export function TeachPanel() {
  return (
    <section class="panel">
      <h2>Teach</h2>
      {session.value ? (
        <Missing>Teaching by hand is not part of this build.</Missing>
      ) : (
        <Missing step="model" action="Open a model">Teaching needs a model.</Missing>
      )}
    </section>
  );
}
