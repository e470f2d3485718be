/** A drop zone for data, with buttons for files and for a folder. */
import { useId, useState } from "preact/hooks";

import { attempt } from "../notice";
import { holdsModel } from "../drop";
import { chosenFiles, droppedFiles } from "./dropped";
import { openSamples, progress, stopReading, stretch, stretches } from "./open";
import type { Source } from "./source";

const ENDINGS = ".npz,.npy,.csv,.tsv,.txt,.data,.zip,.png,.jpg,.jpeg,.wav";

/** Reads files, and shows a notice if they are refused. */
function open(given: Source[]): void {
  if (given.length) void attempt(() => openSamples(given));
}

export function Choose() {
  const [over, setOver] = useState(false);
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(inside);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!event.dataTransfer || holdsModel(event.dataTransfer)) return; // the page takes models, wherever they are dropped
    event.preventDefault();
    void attempt(async () => open(await droppedFiles(event.dataTransfer!)));
  };
  return (
    <div class={over ? "drop over" : "drop"} onDragOver={drag(true)} onDragLeave={drag(false)} onDrop={drop}>
      <div class="row">
        <Picker label="Choose files" accept={ENDINGS} primary />
        <Picker label="Choose a folder" folder />
        <label class="check">
          <input type="checkbox" checked={stretches.value} onChange={(event) => void attempt(() => stretch(event.currentTarget.checked))} />
          Stretch pictures to the model's size
        </label>
      </div>
      <p>
        Drop an .npz, a .csv, x.npy with y.npy, or a folder or .zip with a folder of PNG, JPEG or WAV files for each class.
        Nothing leaves this computer.
      </p>
      <Reading />
    </div>
  );
}

interface PickerProps {
  label: string;
  accept?: string;
  folder?: boolean;
  primary?: boolean;
}

function Picker({ label, accept, folder = false, primary = false }: PickerProps) {
  const id = useId();
  const pick = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement, given = chosenFiles(input.files ?? []);
    input.value = ""; // so that the user can choose the same file again
    open(given);
  };
  const props = folder ? { webkitdirectory: true } : {};
  return (
    <span>
      <input class="unseen" type="file" id={id} accept={accept} multiple onChange={pick} {...props} />
      <label class={primary ? "button primary" : "button"} for={id}>{label}</label>
    </span>
  );
}

/** The progress of reading, and a button that ends it. */
function Reading() {
  if (progress.value === null) return null;
  return (
    <div class="row reading">
      <progress value={progress.value} aria-label="Reading" />
      <button type="button" onClick={stopReading}>Stop</button>
    </div>
  );
}
