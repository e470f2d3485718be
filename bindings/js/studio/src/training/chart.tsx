import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../parts/theme";
import { exact, short } from "../parts/format";

/** One line of a chart: its name, the token of its colour, and whether to show points. */
export interface Line {
  name: string;
  token: string;
  dashed?: boolean;
  values: (number | null)[];
}

interface Props {
  /** What the chart shows, for screen readers. */
  label: string;
  x: number[];
  lines: Line[];
  /** The range of y, if it is fixed. */
  range?: [number, number];
  height?: number;
}

/** Curves over steps. A change of colours or lines redraws the chart; otherwise it only takes new values. */
export function Chart({ label, x, lines, range, height = 220 }: Props) {
  const place = useRef<HTMLDivElement>(null), chart = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const kind = `${theme.value} ${lines.map(({ name }) => name).join()}`;
  useEffect(() => {
    const made = new uPlot(options(place.current!, lines, range, height, setAt), rows(x, lines), place.current!);
    chart.current = made;
    const watch = new ResizeObserver(([entry]) => made.setSize({ width: entry!.contentRect.width, height }));
    watch.observe(place.current!);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [kind]);
  useEffect(() => chart.current?.setData(rows(x, lines)), [x, lines]);
  return (
    <>
      <Legend x={x} lines={lines} at={at} />
      <div class="chart" ref={place} role="img" aria-label={label} data-points={x.length} />
    </>
  );
}

/** The lines with their values under the pointer, or else their last ones. */
function Legend({ x, lines, at }: { x: number[]; lines: Line[]; at: number | null }) {
  const index = at ?? x.length - 1;
  return (
    <ul class="legend" aria-hidden="true">
      {lines.map(({ name, token, dashed, values }) => (
        <li key={name}>
          <svg viewBox="0 0 24 8" style={{ stroke: `var(${token})` }}>
            <path d="M1 4h22" stroke-width="3" stroke-dasharray={dashed ? "7 4" : undefined} />
          </svg>
          {name} <b>{shown(values, index)}</b>
        </li>
      ))}
      <li>Step <b>{exact(x[index] ?? 0)}</b></li>
    </ul>
  );
}

/** Returns the value of a point, or the last one before it if it has none. */
function shown(values: (number | null)[], index: number): string {
  for (let at = index; at >= 0; at--) {
    const value = values[at];
    if (value !== null && value !== undefined) return short(value);
  }
  return "-";
}

function rows(x: number[], lines: Line[]): uPlot.AlignedData {
  return [x, ...lines.map(({ values }) => values)];
}

function options(place: HTMLElement, lines: Line[], range: Props["range"], height: number, onPoint: (index: number | null) => void): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: token("--soft"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { stroke: token("--line"), width: 1 },
    font: `12px ${token("--font")}`,
  };
  return {
    width: place.clientWidth,
    height,
    scales: { x: { time: false }, y: range ? { range } : {} },
    axes: [axis, { ...axis, size: 52 }],
    series: [{ label: "Step" }, ...lines.map((line) => seriesOf(line, token))],
    legend: { show: false },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
  };
}

function seriesOf({ name, token: colour, dashed }: Line, token: (name: string) => string): uPlot.Series {
  return {
    label: name,
    stroke: token(colour),
    width: 2,
    spanGaps: true,
    ...(dashed ? { dash: [7, 4] } : {}),
    points: { show: dashed ?? false, size: 5, fill: token(colour) },
  };
}
