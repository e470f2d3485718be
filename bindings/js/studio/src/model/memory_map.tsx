import { useEffect, useRef, useState } from "preact/hooks";
import { bytes, exact } from "../parts/format";
import type { Analysis, ProgramReport } from "../compiler/analysis";
import { blocksOf, lifeOf, type Block } from "./report";

const HEIGHT = 380, MARGIN = 64, FOOT = 36;
/** The width of a letter, and the least height and width of a block with a name in it, in pixels. */
const LETTER = 7.2, TALL = 15, WIDE = 44;
const COLOURS = 8, GREYS = 6;

/** The arena of a program: instructions to the right, addresses upwards. Each block shows its name. */
export function MemoryMap({ analysis, program }: { analysis: Analysis; program: ProgramReport }) {
  const place = useRef<HTMLDivElement>(null), [width, setWidth] = useState(800);
  const blocks = blocksOf(analysis, program), [told, setTold] = useState(-1);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, entry!.contentRect.width)));
    watch.observe(place.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => setTold(-1), [program]);
  return (
    <div class="map">
      <Told block={blocks[told]} />
      <div ref={place}>
        <Drawing blocks={blocks} program={program} width={width} told={told} onTold={setTold} />
      </div>
    </div>
  );
}

function Told({ block }: { block: Block | undefined }) {
  if (!block) return <output class="told soft">Point at a block, tap it, or focus the map and use the arrow keys.</output>;
  return (
    <output class="told">
      <strong>{block.name}</strong> {bytes(block.size)} at {exact(block.offset)}, {lifeOf(block)}
    </output>
  );
}

interface DrawingProps {
  blocks: Block[];
  program: ProgramReport;
  width: number;
  told: number;
  onTold: (index: number) => void;
}

function Drawing({ blocks, program, width, told, onTold }: DrawingProps) {
  const scale = new Scale(width, Math.max(program.instructions, 1), Math.max(program.arena_bytes, 1));
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const end = { Home: 0, End: blocks.length - 1 }[event.key];
    if (by === undefined && end === undefined) return;
    event.preventDefault();
    onTold(end ?? (told + by! + blocks.length) % blocks.length);
  };
  const label = `Memory map of ${program.kind}: ${blocks.length} blocks in ${bytes(program.arena_bytes)}`;
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT + FOOT}`}
      height={HEIGHT + FOOT}
      role="group"
      aria-label={label}
      tabIndex={0}
      onKeyDown={move}
      onFocus={() => told < 0 && onTold(0)}
    >
      <Axes scale={scale} program={program} />
      {blocks.map((block, index) => (
        <Rectangle key={index} block={block} index={index} scale={scale} onTold={onTold} />
      ))}
      {blocks[told] && <Outline block={blocks[told]} scale={scale} />}
      <Peak scale={scale} at={program.peak.instruction} />
    </svg>
  );
}

/** From instructions and bytes to pixels. */
class Scale {
  constructor(readonly width: number, readonly steps: number, readonly size: number) {}

  x(step: number): number {
    return MARGIN + ((this.width - MARGIN - 1) * step) / this.steps;
  }

  y(offset: number): number {
    return HEIGHT * (1 - offset / this.size);
  }

  box({ start, end, offset, size }: Block): { x: number; y: number; width: number; height: number } {
    const [x, y] = [this.x(start), this.y(offset + size)];
    return { x, y, width: this.x(end) - x, height: this.y(offset) - y };
  }
}

function Rectangle({ block, index, scale, onTold }: { block: Block; index: number; scale: Scale; onTold: (index: number) => void }) {
  const box = scale.box(block), letters = Math.floor((box.width - 10) / LETTER);
  const colour = block.lasts ? `--lasting-${index % GREYS}` : `--passing-${index % COLOURS}`;
  const name = block.name.length <= letters ? block.name : `${block.name.slice(0, letters - 1)}…`;
  return (
    <g onPointerEnter={() => onTold(index)} onClick={() => onTold(index)}>
      <rect class="block" {...box} style={{ fill: `var(${colour})` }} data-block={block.name} />
      {box.height >= TALL && box.width >= WIDE && (
        <text class="name" x={box.x + 5} y={box.y + box.height / 2 + 4}>{name}</text>
      )}
    </g>
  );
}

function Outline({ block, scale }: { block: Block; scale: Scale }) {
  return <rect class="outline" {...scale.box(block)} />;
}

function Peak({ scale, at }: { scale: Scale; at: number }) {
  const x = scale.x(at + 0.5), anchor = x > scale.width - 80 ? "end" : x < MARGIN + 80 ? "start" : "middle";
  return (
    <g class="peak">
      <line x1={x} x2={x} y1={0} y2={HEIGHT} />
      <text x={x} y={HEIGHT + 31} text-anchor={anchor}>peak: instruction {at}</text>
    </g>
  );
}

function Axes({ scale, program }: { scale: Scale; program: ProgramReport }) {
  const parts = [0, 1, 2, 3, 4];
  return (
    <g class="axes">
      {parts.map((part) => {
        const offset = Math.floor((scale.size * part) / 4), y = scale.y(offset);
        return (
          <g key={part}>
            <line x1={MARGIN} x2={scale.width} y1={y} y2={y} />
            <text x={MARGIN - 8} y={y + (part === 4 ? 10 : part === 0 ? 0 : 4)} text-anchor="end">{exact(offset)}</text>
          </g>
        );
      })}
      <text x={MARGIN} y={HEIGHT + 15}>instruction 0</text>
      <text x={scale.width} y={HEIGHT + 15} text-anchor="end">{program.instructions - 1}</text>
    </g>
  );
}
