import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { attempt } from "../notice";
import { DropZone } from "../parts/drop";
import { model } from "../state";
import { BoardsCard } from "./boards_card";
import { CompileCard } from "./compile_card";
import { listExamples, openExample, type Example } from "./examples";
import { FactsCard } from "./facts_card";
import { openFiles } from "./files";
import { last, openLast, readLast } from "./last";
import { ReportCards } from "./report_cards";
import { Summary } from "./summary";

const examples = signal<Example[]>([]);

export function ModelPanel() {
  useEffect(() => {
    if (!examples.value.length) void attempt(async () => (examples.value = await listExamples()));
    if (!model.value) void readLast();
  }, []);
  return (
    <section class="panel modelling">
      <h2>Model</h2>
      {!model.value && (
        <p class="lead">
          Open a neural network, train it here on your own samples, and send it to a board. All of it happens in this
          page: nothing leaves your computer.
        </p>
      )}
      <div class="opening">
        <DropZone label="Open a model" accept=".mote,.onnx" onFiles={(files) => void attempt(() => openFiles(files))}>
          <p class="soft">or drop it here: a .mote image, or an ONNX file to compile</p>
        </DropZone>
        <Examples />
      </div>
      {model.value ? <Opened /> : <CompileCard />}
    </section>
  );
}

function Examples() {
  return (
    <ul class="examples" aria-label="Examples">
      <Last />
      {examples.value.map((example) => (
        <li key={example.name}>
          <button type="button" class="example" data-example={example.name} onClick={() => void attempt(() => openExample(example))}>
            <strong>{example.title}</strong>
            <span>{example.text}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Last() {
  if (!last.value || model.value) return null;
  return (
    <li>
      <button type="button" class="example" data-last onClick={() => void attempt(openLast)}>
        <strong>Go on with {last.value.name}</strong>
        <span>The model of your last visit, and its state if it was kept.</span>
      </button>
    </li>
  );
}

function Opened() {
  return (
    <>
      <Summary />
      <div class="columns">
        <CompileCard />
        <div class="found">
          <ReportCards />
          <BoardsCard />
          <FactsCard />
        </div>
      </div>
    </>
  );
}
