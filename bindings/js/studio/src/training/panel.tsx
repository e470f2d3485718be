import type { ComponentChildren } from "preact";
import { Missing } from "../parts/missing";
import { data, facts, session } from "../state";
import { Controls } from "./controls";
import { CurvesCard } from "./curves_card";
import { planOf, type Plan } from "./plan";
import { ResultCard } from "./result_card";
import { SampleCard } from "./sample_card";
import { StateCard } from "./state_card";

export function TrainingPanel() {
  if (!session.value) return <Panel><Missing step="model" action="Open a model">Training needs a model.</Missing></Panel>;
  if (!data.value) return <WithoutData />;
  const fit = planned();
  if (typeof fit === "string") return <Panel><Missing step="data" action="Choose other data">{fit}</Missing><StateCard /></Panel>;
  return (
    <Panel>
      <div class="columns">
        <Controls />
        <div class="found">
          <CurvesCard hasAccuracy={fit.classes > 0} />
          <ResultCard names={data.value.classes} />
          <div class="beside">
            <SampleCard plan={fit} data={data.value} />
            <StateCard />
          </div>
        </div>
      </div>
    </Panel>
  );
}

function WithoutData() {
  return (
    <Panel>
      <Missing step="data" action="Choose data">
        Training needs samples. The data step takes files, drawings and pictures, and each example brings its own.
      </Missing>
      <StateCard />
    </Panel>
  );
}

/** Returns how to feed the data to the model, or why that is impossible. */
function planned(): Plan | string {
  try {
    return planOf(facts.value!, data.value!);
  } catch (error) {
    const { message } = error as Error;
    return `${message[0]!.toUpperCase()}${message.slice(1)}.`;
  }
}

function Panel({ children }: { children: ComponentChildren }) {
  return (
    <section class="panel training">
      <h2>Train</h2>
      {children}
    </section>
  );
}
