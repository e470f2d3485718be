import { useId, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

interface Props {
  /** The text of the button. */
  label: string;
  /** File extensions, such as ".mote,.onnx". */
  accept: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
  children?: ComponentChildren;
}

/** A drop zone for files, with a button to choose them. */
export function DropZone({ label, accept, multiple = false, onFiles, children }: Props) {
  const [over, setOver] = useState(false), id = useId();
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(inside);
  };
  const drop = (event: DragEvent) => {
    drag(false)(event);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) onFiles(files);
  };
  const pick = (event: Event) => {
    const input = event.target as HTMLInputElement, files = [...(input.files ?? [])];
    input.value = ""; // so that the user can choose the same file again
    if (files.length) onFiles(files);
  };
  return (
    <div class={over ? "drop over" : "drop"} onDragOver={drag(true)} onDragLeave={drag(false)} onDrop={drop}>
      <input class="unseen" type="file" id={id} accept={accept} multiple={multiple} onChange={pick} />
      <label class="button primary" for={id}>{label}</label>
      {children}
    </div>
  );
}
