// Files that are dropped beside the places for them: a browser would leave the page and show them.

import { openSamples } from "./data/open";
import { openFiles } from "./model/files";
import { attempt } from "./notice";
import { show } from "./route";

const MODEL = /\.(mote|onnx)$/i;

/** Takes files that are dropped anywhere: a model goes to its step, all else is read as samples. */
export function takeDrops(): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    if (event.defaultPrevented) return; // a place for files has taken them
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) void attempt(() => open(files));
  });
}

async function open(files: File[]): Promise<void> {
  if (files.some(({ name }) => MODEL.test(name))) {
    show("model");
    return openFiles(files);
  }
  show("data");
  await openSamples(files.map((file) => ({ path: file.name, blob: file })));
}
