// Model and state between the page and the board.

import { GradmoteError, type RemoteSession } from "gradmote";
import { download, renamed } from "../parts/download";
import { model, session, type Model } from "../state";
import { status, tellState } from "../training/run";
import { info } from "./connection";
import { forgetCurve } from "./training";
import type { Tools } from "./work";

function opened(): { model: Model; session: RemoteSession } {
  if (!model.value || !session.value) throw new GradmoteError("no model is open", "open one in the model step");
  if (status.value !== "idle") throw new GradmoteError("the page is training", "stop it in the train step first");
  return { model: model.value, session: session.value };
}

/** Sends the page's model, with its initial state. */
export async function sendModel({ board, signal, onProgress }: Tools): Promise<string> {
  const { model } = opened();
  await board.loadImage(model.image, { signal, onProgress });
  forgetCurve();
  return `${board.info().name} has ${model.name}`;
}

/** Sends the page's model, then the page's state. */
export async function sendBoth(tools: Tools): Promise<string> {
  await sendModel(tools);
  await sendState(tools);
  return `${tools.board.info().name} has the model, and goes on from the page's state`;
}

/** Sends the page's model beside the running one, which stays until the new one is verified. */
export async function updateModel({ board, signal, onProgress }: Tools): Promise<string> {
  const { carried } = await board.updateImage(opened().model.image, { signal, onProgress });
  return carried ? `Updated: ${carried} parts of what the board learned were kept` : "Updated";
}

/** Sends the page's state to the board, which keeps it. */
export async function sendState({ board, signal, onProgress }: Tools): Promise<string> {
  await board.load(await opened().session.save(), { signal, onProgress });
  return "The board goes on from the page's state";
}

/** Brings the board's state into the page. The runtime checks all of it before it changes anything. */
export async function bringBack({ board, signal, onProgress }: Tools): Promise<string> {
  const { session } = opened(), checkpoint = await board.save({ signal, onProgress });
  await session.load(checkpoint);
  await tellState(session);
  return "The page goes on from the board's state";
}

/** Keeps a checkpoint on the board, and gives it to the user as a file. */
export async function saveFile({ board, signal, onProgress }: Tools): Promise<string> {
  const checkpoint = await board.save({ signal, onProgress });
  const name = renamed(`${model.value?.name ?? info.value!.name}`, ".board.gmck");
  download(name, checkpoint);
  return `Saved on the board, and as ${name}`;
}

/** Resets the board's model to its initial values. */
export async function resetBoard({ board }: Tools): Promise<string> {
  await board.reset();
  forgetCurve();
  return "The board's model is as it was sent";
}
