import { signal } from "@preact/signals";
import type { Analysis, LayerReport, ProgramReport, Region } from "../compiler/analysis";
import { attempt } from "../notice";
import { Card } from "../parts/card";
import { ChoiceField } from "../parts/fields";
import { exact, percent, rounded } from "../parts/format";
import { Bar, Table, type Column } from "../parts/table";
import { model } from "../state";
import { analyzeOpened, compiling } from "./files";
import { MemoryMap } from "./memory_map";
import { mainProgram } from "./report";

const chosen = signal("");

/** What `gradmote analyze` shows; if the model came without a report, a way to get it. */
export function ReportCards() {
  const { analysis } = model.value!;
  if (!analysis) return <Lacking />;
  const program = analysis.programs.find(({ kind }) => kind === chosen.value) ?? mainProgram(analysis);
  return (
    <>
      <Card title="Memory" hint={memoryHint(program)} class="memory">
        <Programs analysis={analysis} program={program} />
        <MemoryMap analysis={analysis} program={program} />
      </Card>
      <Card title="Layers" hint="Bytes, except shapes, counts of parameters, MAC and machine instructions.">
        <Layers analysis={analysis} />
      </Card>
      <div class="pair">
        <Card title="Arena" hint="What the RAM is for."><Regions label="Arena" of={analysis.arena} whole={analysis.arena_bytes} /></Card>
        <Card title="Image" hint="What the flash is for."><Regions label="Image" of={analysis.image} whole={analysis.image_bytes} /></Card>
      </div>
      <Card title={`Instructions of ${program.kind}`} hint="Machine instructions are an estimate for a Cortex-M4F.">
        <Opcodes program={program} />
      </Card>
      <Notes notes={analysis.notes} />
    </>
  );
}

function memoryHint({ kind, scratch_bytes: scratch, lower_bound_bytes: bound }: ProgramReport): string {
  const plan = scratch <= bound ? "no plan needs less" : `${exact(bound)} are unavoidable`;
  return `The program ${kind} takes ${exact(scratch)} B of scratch; ${plan}. Time runs to the right, addresses upwards.`;
}

function Programs({ analysis, program }: { analysis: Analysis; program: ProgramReport }) {
  if (analysis.programs.length < 2) return null;
  const choices = Object.fromEntries(analysis.programs.map(({ kind, instructions }) => [kind, `${kind}, ${instructions} instructions`]));
  return (
    <div class="short">
      <ChoiceField label="Program" value={program.kind} choices={choices} onValue={(kind) => (chosen.value = kind)} />
    </div>
  );
}

const LAYER_COLUMNS: Column[] = [
  { title: "Layer" },
  { title: "Output" },
  ...["Trained", "MAC", "Backward", "Saved", "Scratch", "Flash", "Machine"].map((title) => ({ title, numeric: true })),
];

function Layers({ analysis: { layers, programs } }: { analysis: Analysis }) {
  const sum = (pick: (layer: LayerReport) => number) => layers.reduce((total, layer) => total + pick(layer), 0);
  const main = mainProgram({ programs } as Analysis);
  const total = [
    "all",
    "",
    exact(sum((one) => one.parameters)),
    rounded(sum((one) => one.macs_forward)),
    rounded(sum((one) => one.macs_backward)),
    exact(sum((one) => one.saved)),
    exact(main.lower_bound_bytes),
    exact(sum((one) => one.flash)),
    main.machine_instructions === null ? "?" : rounded(main.machine_instructions),
  ];
  return <Table label="Layers" columns={LAYER_COLUMNS} rows={layers.map(layerRow)} total={total} />;
}

/** Returns the cells of one layer; a 0 is left blank. */
function layerRow(layer: LayerReport): string[] {
  const { name, shape, parameters, macs_forward: forward, macs_backward: backward, saved, scratch, flash, machine } = layer;
  const blank = (count: number, write = exact) => (count ? write(count) : "");
  return [
    name,
    shape ? shape.join("×") || "scalar" : "",
    blank(parameters),
    blank(forward, rounded),
    blank(backward, rounded),
    blank(saved),
    blank(scratch),
    blank(flash),
    machine === null ? "?" : blank(machine, rounded),
  ];
}

const REGION_COLUMNS: Column[] = [{ title: "Region" }, { title: "Offset", numeric: true }, { title: "Bytes", numeric: true }, { title: "Share" }];

function Regions({ label, of, whole }: { label: string; of: Region[]; whole: number }) {
  const rows = of.filter(({ size }) => size > 0).map(({ name, offset, size }) => [
    name,
    exact(offset),
    exact(size),
    <span class="share" key={name}><Bar share={size / whole} /> {percent(size / whole, 0)}</span>,
  ]);
  return <Table label={label} columns={REGION_COLUMNS} rows={rows} total={["all of it", "", exact(whole), ""]} />;
}

const OPCODE_COLUMNS: Column[] = [
  { title: "Opcode" },
  ...["Count", "MAC", "Bytes of code", "Machine"].map((title) => ({ title, numeric: true })),
  { title: "Share" },
];

function Opcodes({ program }: { program: ProgramReport }) {
  const whole = program.machine_instructions ?? 0;
  const rows = program.opcodes.map(({ opcode, count, macs, code, machine }) => [
    opcode,
    exact(count),
    macs ? rounded(macs) : "",
    exact(code),
    machine === null ? "?" : rounded(machine),
    whole && machine !== null ? <span class="share" key={opcode}><Bar share={machine / whole} /> {percent(machine / whole, 0)}</span> : "",
  ]);
  return <Table label="Instructions" columns={OPCODE_COLUMNS} rows={rows} />;
}

function Notes({ notes }: { notes: string[] }) {
  if (!notes.length) return null;
  return (
    <Card title="Notes">
      <ul class="notes">{notes.map((note) => <li key={note}>{note}</li>)}</ul>
    </Card>
  );
}

function Lacking() {
  return (
    <Card title="Report" hint="What is below comes from the image itself.">
      <p>
        The compiler would also show which layer takes what: the memory map with each buffer, multiply-accumulates, and
        machine instructions.
      </p>
      <div class="row">
        <button type="button" disabled={compiling.value} onClick={() => void attempt(analyzeOpened)}>Load the compiler and analyze</button>
      </div>
    </Card>
  );
}
