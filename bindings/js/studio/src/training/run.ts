// A training. It continues while other panels show, and reports through signals.

import { batch, effect, signal } from "@preact/signals";
import { DataError, RuntimeFault, type RemoteSession } from "gradmote";
import type { Dataset } from "../data/dataset";
import { fail, inform } from "../notice";
import { percent, short } from "../parts/format";
import { data, facts, session, spoken } from "../state";
import { gather } from "./batches";
import { extended, type Point } from "./curves";
import { evaluate, type Evaluation } from "./evaluate";
import { planOf, type Plan } from "./plan";
import { drawing, shuffled } from "./random";
import { change, settings } from "./settings";
import { split, type Split } from "./split";
import { runSteps } from "./steps";

export type Status = "idle" | "running" | "paused" | "stopping";

export interface Progress {
  epoch: number;
  epochs: number;
  /** The finished steps of this training, and its total. */
  step: number;
  steps: number;
  perSecond: number;
  loss: number | null;
}

export const status = signal<Status>("idle");
export const progress = signal<Progress | null>(null);
export const points = signal<Point[]>([]);
export const result = signal<Evaluation | null>(null);
/** The split of the last training, for trying samples. */
export const parts = signal<Split | null>(null);
/** The SHA-256 of the state, and the updates that led to it. */
export const state = signal<{ digest: string; steps: number } | null>(null);

/** Milliseconds that a chunk of steps should take: after each, the curves move, and pause and stop take effect. */
const CHUNK = 40;
/** The least number of points per epoch in the curves, if the epoch has as many steps. */
const POINTS = 16;
/** The most training samples that stand in for held-out ones if there are none. */
const MOST_TRAINED = 512;
/** Milliseconds between two drawings of the curves: drawing takes longer than a chunk of a small model. */
const DRAWN = 80;
/** Milliseconds between two announcements. */
const QUIET = 8000;

let wake: () => void = () => undefined;

/** Discards the measurements, as when another model opens. */
export function forgetRun(): void {
  batch(() => {
    [progress.value, result.value, state.value, parts.value] = [null, null, null, null];
    points.value = [];
  });
}

effect(() => {
  const opened = session.value;
  forgetRun();
  if (opened) void takeRate(opened).then(() => tellState(opened));
});

/** Takes the learning rate of the image, before the state shows: later, it would overwrite what the user typed. */
async function takeRate(opened: RemoteSession): Promise<void> {
  const rate = await opened.get("learningRate").catch(() => 0);
  if (rate > 0 && session.value === opened) change({ rate: Number(rate.toPrecision(6)) });
}

export function pause(): void {
  if (status.value === "running") status.value = "paused";
}

export function resume(): void {
  if (status.value === "paused") status.value = "running";
  wake();
}

export function stop(): void {
  if (status.value !== "idle") status.value = "stopping";
  wake();
}

/** Resets everything to the image's initial values. */
export async function reset(): Promise<void> {
  const opened = session.value;
  if (!opened || status.value !== "idle") return;
  await opened.reset();
  forgetRun();
  await tellState(opened);
  inform("The state is that of the image again");
}

/** Reads the state's digest, after steps or after a checkpoint was loaded. */
export async function tellState(opened: RemoteSession): Promise<void> {
  const found = await Promise.all([opened.stateSha256(), opened.control()]).catch(() => null);
  if (found && session.value === opened) state.value = { digest: found[0], steps: found[1].optimizerSteps };
}

/**
 * Trains with the settings, from the current state. An error ends it with a notice. It is idle after its state shows.
 */
export async function start(): Promise<void> {
  const [opened, samples, known] = [session.value, data.value, facts.value];
  if (status.value !== "idle" || !opened || !samples || !known) return;
  status.value = "running";
  try {
    await new Run(opened, samples, planOf(known, samples)).all();
  } catch (error) {
    if (session.value === opened) fail(error);
  }
  if (session.value === opened) await tellState(opened);
  status.value = "idle";
}

class Run {
  #draw = drawing(settings.value.seed);
  #split: Split;
  #first = points.value[points.value.length - 1]?.step ?? 0;
  #chunk = 1;
  #lastGood: Uint8Array | null = null;
  #lastGoodStep = 0;
  #said = performance.now();
  #drawn = 0;
  #pending: Point[] = [];
  #progress: Progress;
  #step = 0;
  #measured: { step: number; found: Evaluation } | null = null;

  constructor(readonly session: RemoteSession, readonly data: Dataset, readonly plan: Plan) {
    const { held, shuffle } = settings.value;
    this.#split = split(data, held / 100, shuffle ? this.#draw : null);
    if (this.#split.train.length < plan.batch) {
      throw new DataError(`${this.#split.train.length} samples are left to train on, and a batch has ${plan.batch}`, "hold out fewer");
    }
    parts.value = this.#split;
    const { epochs } = settings.value;
    this.#progress = { epoch: 1, epochs, step: 0, steps: epochs * this.#perEpoch, perSecond: 0, loss: null };
  }

  get #perEpoch(): number {
    return Math.floor(this.#split.train.length / this.plan.batch);
  }

  /** Trains all epochs, or until the user stops, then measures. */
  async all(): Promise<void> {
    const { epochs } = settings.value;
    await this.#prepare(this.#progress.steps);
    await this.#keep();
    for (let epoch = 1; epoch <= epochs && (await this.#goesOn()); epoch++) await this.#epoch(epoch, epochs);
    const { accuracy, loss } = await this.#measure();
    const how = accuracy !== null ? `: accuracy ${percent(accuracy)}` : loss !== null ? `: loss ${short(loss)}` : "";
    inform(`${status.value === "stopping" ? "Stopped" : "Trained"} after ${this.#step} steps${how}`);
  }

  /** Sets the learning rate, or its schedule. */
  async #prepare(steps: number): Promise<void> {
    const { rate, schedule, warmup } = settings.value;
    if (schedule === "linear") await this.session.setLinearSchedule(rate, Math.round((steps * warmup) / 100), steps);
    else await this.session.set("learningRate", rate);
    this.#show();
  }

  async #epoch(epoch: number, epochs: number): Promise<void> {
    const order = settings.value.shuffle ? shuffled(this.#split.train, this.#draw) : this.#split.train;
    const { batch } = this.plan, whole = this.#perEpoch;
    for (let at = 0; at < whole && (await this.#goesOn()); ) {
      const count = Math.min(this.#chunk, whole - at);
      await this.#steps(order.subarray(at * batch, (at + count) * batch), count, epoch, epochs);
      at += count;
    }
    if (status.value === "stopping") return;
    await this.#measure();
    await this.#keep();
  }

  /** Runs a chunk of steps, and adapts the size of the next one to the time that it took. */
  async #steps(indices: Uint32Array, count: number, epoch: number, epochs: number): Promise<void> {
    const began = performance.now();
    const loss = await this.#guarded(() => runSteps(this.session, this.plan, gather(this.data, this.plan, indices)));
    const took = Math.max(performance.now() - began, 0.1), before = this.#progress;
    this.#chunk = Math.max(1, Math.min(this.#perEpoch / POINTS, Math.round((count * CHUNK) / took)) | 0);
    this.#step += count;
    const perSecond = (1000 * count) / took;
    const smooth = before.perSecond ? 0.8 * before.perSecond + 0.2 * perSecond : perSecond;
    this.#progress = { epoch, epochs, step: this.#step, steps: before.steps, perSecond: smooth, loss };
    this.#plot({ loss, heldLoss: null, accuracy: null });
    if (performance.now() - this.#drawn >= DRAWN) this.#show();
    this.#announce(`Epoch ${epoch} of ${epochs}, loss ${short(loss)}`);
  }

  /** Runs `action`. If numbers stop being finite, returns to the last sound state and throws DataError. */
  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      this.#show();
      if (!(error instanceof RuntimeFault) || error.error !== "NOT_FINITE" || !this.#lastGood) throw error;
      await this.session.load(this.#lastGood);
      const text = `${error.text}: the state is that of step ${this.#lastGoodStep} again`;
      throw new DataError(text, "lower the learning rate, or look at the data, and start again");
    }
  }

  async #keep(): Promise<void> {
    this.#lastGood = await this.session.save();
    this.#lastGoodStep = this.#step;
  }

  /** Measures on held-out samples, or on training samples if none are held out. */
  async #measure(): Promise<Evaluation> {
    if (this.#measured?.step === this.#step) return this.#measured.found;
    const { held, train } = this.#split, isHeld = held.length > 0;
    const on = isHeld ? "held-out samples" : "training samples";
    const found = await this.#guarded(() =>
      evaluate(this.session, this.data, this.plan, isHeld ? held : train.subarray(0, MOST_TRAINED), on),
    );
    batch(() => {
      result.value = found;
      this.#measured = { step: this.#step, found };
      this.#plot({ loss: null, heldLoss: isHeld ? found.loss : null, accuracy: found.accuracy });
      this.#show();
    });
    return found;
  }

  #plot(point: Omit<Point, "step">): void {
    this.#pending.push({ step: this.#first + this.#step, ...point });
  }

  /** Shows the progress of the training, and the measurements since the last time. */
  #show(): void {
    if (session.value !== this.session) return;
    const measured = this.#pending;
    [this.#pending, this.#drawn] = [[], performance.now()];
    batch(() => {
      progress.value = this.#progress;
      points.value = measured.reduce(extended, points.value);
    });
  }

  /** Waits while the training is paused. Returns false if it is to stop. */
  async #goesOn(): Promise<boolean> {
    while (status.value === "paused") {
      this.#show();
      await tellState(this.session);
      if (status.value !== "paused") break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    return status.value === "running";
  }

  #announce(text: string): void {
    if (performance.now() - this.#said < QUIET) return;
    this.#said = performance.now();
    spoken.value = text;
  }
}
