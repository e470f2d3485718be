/** One sample: its pixels, or a line through its numbers. */
import { useEffect, useRef } from "preact/hooks";

import { theme } from "../parts/theme";
import { pixelsOf, type Look } from "./look";

interface Props {
  sample: Float32Array;
  look: Look | null;
  least: number;
  largest: number;
  /** What it shows, for screen readers; empty if the text around it says that. */
  label: string;
}

/** The size of a line's picture, in pixels. */
const LINE = { width: 160, height: 96 };

export function Thumbnail({ sample, look, least, largest, label }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = look ?? LINE;
  const colours = theme.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    if (look) context.putImageData(pixelsOf(sample, look, least, largest), 0, 0);
    else drawLine(context, sample, least, largest);
  }, [sample, look, least, largest, colours]);
  const said = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true };
  return <canvas class={look ? "thumbnail pixels" : "thumbnail line"} ref={canvas} width={width} height={height} {...said} />;
}

/** Draws few numbers as bars, and many as a line. */
function drawLine(context: CanvasRenderingContext2D, sample: Float32Array, least: number, largest: number): void {
  const { width, height } = LINE, low = Math.min(0, least), span = Math.max(0, largest) - low || 1;
  const level = (value: number) => height - 4 - ((value - low) / span) * (height - 8);
  context.clearRect(0, 0, width, height);
  context.fillStyle = context.strokeStyle = getComputedStyle(context.canvas).getPropertyValue("--curve-1");
  if (sample.length <= 32) {
    const step = width / sample.length;
    sample.forEach((value, at) => context.fillRect(at * step + 1, Math.min(level(value), level(0)), Math.max(1, step - 2), Math.max(1, Math.abs(level(value) - level(0)))));
    return;
  }
  context.lineWidth = 1.5;
  context.beginPath();
  sample.forEach((value, at) => context.lineTo((at / (sample.length - 1)) * width, level(value)));
  context.stroke();
}
