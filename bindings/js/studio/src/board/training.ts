// Training on the board, with the settings, split and order of the page's own training, so that both end bitwise equal.

import { batch, signal } from "@preact/signals";
import { DataError } from "gradmote";
import type { Board } from "gradmote/serial";
import type { Dataset } from "../data/dataset";
import { percent, short } from "../parts/format";
import { data, facts } from "../state";
import { gather } from "../training/batches";
import { extended, type Point } from "../training/curves";
import { planOf, type Plan } from "../training/plan";
import { drawing, shuffled } from "../training/random";
import { settings } from "../training/settings";
import { split } from "../training/split";
import { asBytes } from "./bytes";
import type { Tools } from "./work";

/** The measurements on the board. */
export const points = signal<Point[]>([]);

/** The most held-out samples that are sent over the line to measure. */
const MOST_HELD = 256;

/** Returns how the page's data fits the board's model, which must be the page's. Throws DataError if they differ. */
function planned(board: Board): [Dataset, Plan] {
  if (!facts.value || !data.value) throw new DataError("there is nothing to train on", "choose data in the data step");
  const plan = planOf(facts.value, data.value), { batch } = board.info();
  if (batch === plan.batch) return [data.value, plan];
  throw new DataError(`the board's model takes ${batch} samples in a step, the page's ${plan.batch}`, "send the page's model first");
}

/** Trains the board on the page's data, as the Train step does in the page. */
export async function train(tools: Tools): Promise<string> {
  const { board } = tools, [samples, plan] = planned(board), { epochs, held, shuffle, seed } = settings.value;
  const draw = drawing(seed), parts = split(samples, held / 100, shuffle ? draw : null);
  const perEpoch = Math.floor(parts.train.length / plan.batch);
  if (!perEpoch) throw new DataError(`${parts.train.length} samples are left to train on, and a batch has ${plan.batch}`, "hold out fewer");
  await setRate(board, epochs * perEpoch);
  const first = points.value.at(-1)?.step ?? 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const order = shuffle ? shuffled(parts.train, draw) : parts.train;
    await trainEpoch(tools, gather(samples, plan, order), (step, loss) => {
      plot({ step: first + epoch * perEpoch + step, loss, heldLoss: null, accuracy: null });
      tools.at((epoch * perEpoch + step) / (epochs * perEpoch), `epoch ${epoch + 1} of ${epochs}, step ${step} of ${perEpoch}, loss ${short(loss)}`);
    });
  }
  return parts.held.length ? `Trained on the board: ${await test(tools, parts.held)}` : "Trained on the board";
}

async function trainEpoch({ board, signal }: Tools, { x, y }: ReturnType<typeof gather>, onStep: (step: number, loss: number) => void): Promise<void> {
  const sent = x instanceof Float32Array ? asBytes(x) : { x };
  await board.train({ ...sent, y, signal, onStep: ({ step, loss }) => onStep(step, loss) });
}

async function setRate(board: Board, steps: number): Promise<void> {
  const { rate, schedule, warmup } = settings.value;
  if (schedule === "linear") await board.setLinearSchedule(rate, Math.round((steps * warmup) / 100), steps);
  else await board.setLearningRate(rate);
}

/** Tests the board's model on held-out samples. */
export async function testHeld(tools: Tools): Promise<string> {
  const [samples] = planned(tools.board), { held, shuffle, seed } = settings.value;
  const parts = split(samples, held / 100, shuffle ? drawing(seed) : null);
  return `On the board: ${await test(tools, parts.held.length ? parts.held : parts.train)}`;
}

async function test({ board, signal, at }: Tools, held: Uint32Array): Promise<string> {
  const [samples, plan] = planned(board), rows = held.subarray(0, MOST_HELD), { x, y } = gather(samples, plan, rows);
  const sent = x instanceof Float32Array ? asBytes(x) : { x };
  const onProgress = (done: number, total: number) => at(done / total, `testing, ${done} of ${total} samples`);
  const { loss, accuracy } = await board.evaluate({ ...sent, y, signal, onProgress });
  const step = points.value.at(-1)?.step ?? 0;
  plot({ step, loss: null, heldLoss: null, accuracy: Number.isNaN(accuracy) ? null : accuracy });
  const on = `on ${rows.length} samples`;
  return Number.isNaN(accuracy) ? `loss ${short(loss)} ${on}` : `accuracy ${percent(accuracy)} ${on}`;
}

function plot(point: Point): void {
  batch(() => (points.value = extended(points.value, point)));
}

/** Discards the measurements. */
export function forgetCurve(): void {
  points.value = [];
}
