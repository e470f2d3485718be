import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { attempt } from "../notice";
import { DropZone } from "../parts/drop";
import { facts, model } from "../state";
import { listExamples, openExample, type Example } from "./examples";
import { openFiles } from "./files";

const examples = signal<Example[]>([]);

export function ModelPanel() {
  useEffect(() => {
    if (!examples.value.length) void attempt(async () => (examples.value = await listExamples()));
  }, []);
  return (
    <section class="panel">
      <h2>Model</h2>
      <DropZone label="Open a model" accept=".mote,.onnx" onFiles={(files) => void attempt(() => openFiles(files))}>
        <p>Drop a .mote image or an ONNX file here.</p>
      </DropZone>
      <ul class="examples">
        {examples.value.map((example) => (
          <li key={example.name}>
            <button type="button" data-example={example.name} onClick={() => void attempt(() => openExample(example))}>
              {example.title}
            </button>
          </li>
        ))}
      </ul>
      <Opened />
    </section>
  );
}

function Opened() {
  if (!model.value || !facts.value) return null;
  const { requirements, inputs } = facts.value;
  return (
    <p>
      {model.value.name}: {model.value.image.length} bytes, an arena of {requirements.arenaSize} bytes,{" "}
      {inputs.map(({ name, shape }) => `${name ?? "input"} (${shape.join(" x ")})`).join(", ")}.
    </p>
  );
}
