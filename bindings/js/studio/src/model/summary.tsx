import { useEffect } from "preact/hooks";
import { Figures } from "../parts/card";
import { bytes, exact, rounded } from "../parts/format";
import { facts, model } from "../state";
import { boards, judged, loadBoards } from "./boards";
import { mainProgram } from "./report";

/** The open model in a few figures. */
export function Summary() {
  useEffect(() => void loadBoards(), []);
  const { name, image, analysis } = model.value!, { requirements, parameters, scheme } = facts.value!;
  const count = parameters.reduce((sum, { shape }) => sum + shape.reduce((size, dim) => size * dim, 1), 0);
  const figures: [string, string][] = [
    [bytes(requirements.arenaSize), "of RAM: arena"],
    [bytes(image.length), "of flash: image"],
    [exact(count), "parameters that train"],
    [exact(requirements.batch), requirements.batch === 1 ? "sample in a step" : "samples in a step"],
  ];
  if (analysis) figures.push(...costs());
  return (
    <section class="card" aria-label="The open model">
      <h3>{name}</h3>
      <p class="soft small">{scheme && `Scheme: ${scheme}. `}<Verdict /></p>
      <Figures of={figures} />
    </section>
  );
}

/** The smallest board that holds the model, in a sentence. */
function Verdict() {
  if (!boards.value.length) return null;
  const found = judged(facts.value!.requirements.arenaSize, model.value!.image.length);
  const real = found.find(({ board, lacks }) => !lacks.length && Object.keys(board.upload).length > 0);
  if (!real) return <span class="bad">No supported board can hold it.</span>;
  return <>The smallest board that holds it is {real.board.title}.</>;
}

function costs(): [string, string][] {
  const { analysis } = model.value!, main = mainProgram(analysis!);
  const macs = analysis!.layers.reduce((sum, layer) => sum + layer.macs_forward + layer.macs_backward, 0);
  const figures: [string, string][] = [[rounded(macs), `MAC in one ${main.kind}`]];
  if (main.machine_instructions !== null) figures.push([`≈ ${rounded(main.machine_instructions)}`, "instructions, Cortex-M4F"]);
  return figures;
}
