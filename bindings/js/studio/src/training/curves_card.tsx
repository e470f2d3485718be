import { Card } from "../parts/card";
import { percent, short } from "../parts/format";
import { Chart, type Line } from "./chart";
import type { Point } from "./curves";
import { parts, points } from "./run";

/** Loss and accuracy over the steps. */
export function CurvesCard({ hasAccuracy }: { hasAccuracy: boolean }) {
  const shown = points.value;
  if (!shown.length) {
    return (
      <Card title="Curves" class="curves">
        <p class="empty soft">Loss{hasAccuracy && " and accuracy"} over the steps will appear here.</p>
      </Card>
    );
  }
  const x = shown.map(({ step }) => step), held = (parts.value?.held.length ?? 0) > 0;
  const on = held ? "held-out samples" : "training samples";
  const losses: Line[] = [{ name: "Training loss", token: "--curve-1", values: shown.map(({ loss }) => loss) }];
  if (held) losses.push({ name: "Held-out loss", token: "--curve-2", dashed: true, values: shown.map(({ heldLoss }) => heldLoss) });
  const accuracy: Line = { name: "Accuracy, %", token: "--curve-3", dashed: true, values: shown.map((point) => inPercent(point)) };
  return (
    <Card title="Curves" class="curves">
      <div class="charts">
        <figure>
          <figcaption>Loss</figcaption>
          <Chart label={spokenLoss(shown)} x={x} lines={losses} />
        </figure>
        {hasAccuracy && (
          <figure>
            <figcaption>Accuracy on {on}</figcaption>
            <Chart label={spokenAccuracy(shown, on)} x={x} lines={[accuracy]} range={[0, 100]} />
          </figure>
        )}
      </div>
    </Card>
  );
}

function inPercent({ accuracy }: Point): number | null {
  return accuracy === null ? null : 100 * accuracy;
}

function spokenLoss(shown: Point[]): string {
  const measured = shown.flatMap(({ loss }) => (loss === null ? [] : [loss]));
  const [first, last] = [measured[0], measured[measured.length - 1]];
  if (first === undefined || last === undefined) return "Loss: nothing was measured yet";
  return `Loss over ${shown[shown.length - 1]!.step} steps: from ${short(first)} to ${short(last)}`;
}

function spokenAccuracy(shown: Point[], on: string): string {
  const last = shown.filter(({ accuracy }) => accuracy !== null).pop();
  return last ? `Accuracy on ${on}: ${percent(last.accuracy!)} at step ${last.step}` : "Accuracy: nothing was measured yet";
}
