import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Card } from "../parts/card";
import { percent, shaped, short, width } from "../parts/format";
import { theme } from "../parts/theme";
import type { Dataset } from "../data/dataset";
import { session } from "../state";
import { gather } from "./batches";
import type { Plan } from "./plan";
import { parts, state, status } from "./run";

const place = signal(0);
const answer = signal<{ scores: number[]; index: number } | null>(null);

/** Tries the model on one sample at a time. */
export function SampleCard({ plan, data }: { plan: Plan; data: Dataset }) {
  const held = parts.value?.held, pool = held?.length ? held : null;
  const count = pool?.length ?? data.count, at = Math.min(place.value, count - 1), index = pool ? pool[at]! : at;
  useEffect(() => {
    if (status.value === "idle" || status.value === "paused") void ask(plan, data, index);
  }, [index, data, session.value, state.value, status.value]);
  if (!plan.hasInfer) return null;
  const go = (by: number) => (place.value = (at + by + count) % count);
  return (
    <Card title="Try a sample" class="sample">
      <div class="row">
        <button type="button" onClick={() => go(-1)} aria-label="Sample before">Before</button>
        <button type="button" onClick={() => go(1)} aria-label="Next sample">Next</button>
        <span class="soft figure">{at + 1} of {count}{pool ? " held out" : ""}</span>
      </div>
      <div class="tried">
        <Picture data={data} index={index} />
        <Answer plan={plan} data={data} index={index} />
      </div>
    </Card>
  );
}

/** Runs the model on one sample; the other rows of the batch repeat it. */
async function ask(plan: Plan, data: Dataset, index: number): Promise<void> {
  const opened = session.value;
  const rows = gather(data, plan, new Uint32Array(plan.batch).fill(index));
  const outputs = await opened?.infer(rows.x).catch(() => undefined); // a closed session has no answer
  if (!outputs?.length || session.value !== opened) return;
  const scores = outputs[0]!;
  answer.value = { index, scores: Array.from(scores.subarray(0, scores.length / plan.batch)) };
}

function Answer({ plan, data, index }: { plan: Plan; data: Dataset; index: number }) {
  const found = answer.value?.index === index ? answer.value.scores : null;
  if (!found) return <p class="soft">The model has not been asked yet.</p>;
  if (!plan.classes) return <Numbers data={data} index={index} found={found} />;
  const shares = softmax(found), order = shares.map((_, label) => label).sort((a, b) => shares[b]! - shares[a]!);
  const label = data.y[index]!, name = (one: number) => data.classes[one] ?? String(one);
  return (
    <div class="answer" aria-live="polite">
      <p>
        <strong class={order[0] === label ? "good" : "bad"}>{name(order[0]!)}</strong>
        <span class="soft">{order[0] === label ? ", as labelled" : `, labelled ${name(label)}`}</span>
      </p>
      <ul class="bars">
        {order.slice(0, 5).map((one) => (
          <li key={one}>
            <span class="name">{name(one)}</span>
            <span class="bar" aria-hidden="true"><i style={width(shares[one]!)} /></span>
            <span class="figure">{percent(shares[one]!)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Numbers({ data, index, found }: { data: Dataset; index: number; found: number[] }) {
  const narrow = data.y.length / data.count, label = Array.from(data.y.subarray(index * narrow, (index + 1) * narrow));
  const few = (numbers: number[]) => numbers.slice(0, 8).map(short).join(", ") + (numbers.length > 8 ? ", ..." : "");
  return (
    <dl class="facts answer">
      <div><dt>Model</dt><dd>{few(found)}</dd></div>
      <div><dt>Label</dt><dd>{few(label)}</dd></div>
    </dl>
  );
}

/** Draws a sample: as a picture if it has an image's shape, else as bars. */
function Picture({ data, index }: { data: Dataset; index: number }) {
  const canvas = useRef<HTMLCanvasElement>(null), size = data.x.length / data.count;
  const values = data.x.subarray(index * size, (index + 1) * size);
  useEffect(() => {
    const image = imageShape(data.sampleShape);
    if (image) drawImage(canvas.current!, values, image);
    else drawBars(canvas.current!, values);
  }, [data, index, theme.value]);
  return <canvas class="picture" ref={canvas} role="img" aria-label={`Sample of ${shaped(data.sampleShape)} numbers`} />;
}

interface ImageShape {
  channels: number;
  height: number;
  width: number;
}

/** Returns the sizes of an image with one or three channels, channels first; null if the shape is not an image's. */
export function imageShape(shape: number[]): ImageShape | null {
  const [channels, height, width] = shape.length === 2 ? [1, ...shape] : shape;
  if (shape.length > 3 || !channels || !height || !width || (channels !== 1 && channels !== 3)) return null;
  return height > 1 && width > 1 ? { channels, height, width } : null;
}

function drawImage(canvas: HTMLCanvasElement, values: Float32Array, { channels, height, width }: ImageShape): void {
  [canvas.width, canvas.height] = [width, height];
  const { least, span } = rangeOf(values), plane = width * height, image = new ImageData(width, height);
  for (let at = 0; at < plane; at++) {
    for (let colour = 0; colour < 3; colour++) {
      const value = values[(channels === 3 ? colour * plane : 0) + at]!;
      image.data[4 * at + colour] = (255 * (value - least)) / span;
    }
    image.data[4 * at + 3] = 255;
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
}

function drawBars(canvas: HTMLCanvasElement, values: Float32Array): void {
  [canvas.width, canvas.height] = [320, 160];
  const pen = canvas.getContext("2d")!, width = 320 / values.length, { least, span } = rangeOf(values);
  const y = (value: number) => 155 - (150 * (value - least)) / span;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--curve-1");
  const zero = y(Math.min(Math.max(0, least), least + span));
  values.forEach((value, i) => pen.fillRect(i * width, Math.min(zero, y(value)), Math.max(0.5, width * 0.85), Math.max(1, Math.abs(y(value) - zero))));
}

function rangeOf(values: Float32Array): { least: number; span: number } {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return { least, span: most - least || 1 };
}

function softmax(scores: number[]): number[] {
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
