// Saves what the model learned, and opens it again.

import { GradmoteError, type RemoteSession } from "gradmote";
import { discard, persist, restore } from "gradmote/storage";
import { compiler } from "../compiler/client";
import { inform } from "../notice";
import { download, renamed } from "../parts/download";
import { model, session } from "../state";
import { tellState } from "./run";

function opened(): RemoteSession {
  if (session.value) return session.value;
  throw new GradmoteError("no model is open", "open one in the model step");
}

/** Gives the user the state as a file. */
export async function saveCheckpoint(): Promise<void> {
  const checkpoint = await opened().save();
  const name = renamed(model.value!.name, ".gmck");
  download(name, checkpoint);
  inform(`Saved ${name}`, "Boards, Python and C go on from it.");
}

/** Loads a checkpoint. The runtime checks all of it before it changes anything. */
export async function openCheckpoint(file: File): Promise<void> {
  await opened().load(new Uint8Array(await file.arrayBuffer()));
  await tellState(opened());
  inform(`The state is that of ${file.name}`);
}

/** Keeps the state on this device, under the model's id. */
export async function keepHere(): Promise<void> {
  await persist(opened());
  inform("Kept in this browser", "It stays until the browser's data of this page is cleared.");
}

export async function reopenKept(): Promise<void> {
  if (!(await restore(opened()))) throw new GradmoteError("nothing was kept of this model", "train it, then keep it in this browser");
  await tellState(opened());
  inform("The state is the one that was kept");
}

export async function forgetKept(): Promise<void> {
  await discard(opened());
  inform("Nothing of this model is kept in this browser");
}

/** Gives the user the ONNX file with the current parameters. */
export async function exportModel(): Promise<void> {
  const { image, onnx, name } = model.value!;
  const made = await compiler.exportOnnx(image, onnx!, await opened().save());
  download(renamed(name, ".trained.onnx"), made);
  inform(`Exported ${renamed(name, ".trained.onnx")}`);
}
