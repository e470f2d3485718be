// Files that are dropped outside the drop zones: without this, a browser would leave the page and show them.

import { droppedFiles } from "./data/dropped";
import { openSamples } from "./data/open";
import { openFiles } from "./model/files";
import { attempt } from "./notice";
import { show } from "./route";

const MODEL = /\.(mote|onnx)$/i;

/** Takes files that are dropped anywhere: a model goes to its step, everything else is read as samples. */
export function takeDrops(): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    if (event.defaultPrevented) return; // a drop zone has taken the files
    event.preventDefault();
    const { dataTransfer } = event;
    if (dataTransfer?.files.length) void attempt(() => open(dataTransfer));
  });
}

/** Returns whether a model is among the dropped files. */
export function holdsModel({ files }: DataTransfer): boolean {
  return [...files].some(({ name }) => MODEL.test(name));
}

async function open(dropped: DataTransfer): Promise<void> {
  if (holdsModel(dropped)) {
    show("model");
    return openFiles([...dropped.files]);
  }
  show("data");
  await openSamples(await droppedFiles(dropped));
}
