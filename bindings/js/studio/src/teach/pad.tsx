/** A pad to draw on with mouse, finger or pen. */
import { useEffect, useRef } from "preact/hooks";

import { fromRgba, type Picture } from "../data/pictures/pixels";

/** The side of the pad, in pixels. */
const SIDE = 280;
/** The width of a stroke, in pixels of the pad. */
const STROKE = 22;

interface Props {
  /** Called with the drawing whenever it changes. */
  onDraw: (drawing: Picture) => void;
  /** A different number empties the pad. */
  cleared: number;
}

export function Pad({ onDraw, cleared }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null), last = useRef<[number, number] | null>(null);
  useEffect(() => empty(contextOf(canvas.current!)), [cleared]);
  const point = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const { left, top, width, height } = canvas.current!.getBoundingClientRect();
    return [((clientX - left) / width) * SIDE, ((clientY - top) / height) * SIDE];
  };
  const begin = (event: PointerEvent) => {
    if (event.button !== 0) return;
    canvas.current!.setPointerCapture(event.pointerId);
    draw(point(event));
  };
  const move = (event: PointerEvent) => {
    if (!last.current) return;
    for (const part of event.getCoalescedEvents?.() ?? [event]) draw(point(part));
    draw(point(event));
  };
  const draw = (to: [number, number]) => {
    stroke(contextOf(canvas.current!), last.current ?? to, to);
    last.current = to;
  };
  const end = () => {
    if (!last.current) return;
    last.current = null;
    onDraw(drawingOn(contextOf(canvas.current!)));
  };
  return (
    <canvas
      class="pad"
      ref={canvas}
      width={SIDE}
      height={SIDE}
      role="img"
      aria-label="A pad to draw on. Without a pointer, give pictures as files."
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  return canvas.getContext("2d", { willReadFrequently: true })!;
}

function empty(context: CanvasRenderingContext2D): void {
  context.fillStyle = "#000";
  context.fillRect(0, 0, SIDE, SIDE);
}

function stroke(context: CanvasRenderingContext2D, [fromX, fromY]: [number, number], [toX, toY]: [number, number]): void {
  context.strokeStyle = "#fff";
  context.lineWidth = STROKE;
  context.lineCap = context.lineJoin = "round";
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.lineTo(toX, toY + 0.01); // so that a single point is drawn too
  context.stroke();
}

function drawingOn(context: CanvasRenderingContext2D): Picture {
  return fromRgba(SIDE, SIDE, context.getImageData(0, 0, SIDE, SIDE).data, false);
}
