// Opens a model: a session in a worker verifies the image before anything in the page changes.

import { connect, type RemoteSession } from "gradmote";
import { batch } from "@preact/signals";
import { facts, model, session, type Facts, type Model } from "../state";
import { DEFAULT_OPTIONS } from "../compiler/client";

type Given = Pick<Model, "name" | "image"> & Partial<Model>;

/** Opens an image. If the runtime refuses it, throws the error, and the present model stays open. */
export async function openModel(given: Given): Promise<void> {
  const opened = await connect(given.image.slice());
  const found = await describe(opened).catch((error: unknown) => {
    opened.close();
    throw error;
  });
  const before = session.value;
  batch(() => {
    model.value = { onnx: null, analysis: null, options: DEFAULT_OPTIONS, ...given };
    facts.value = found;
    session.value = opened;
  });
  before?.close();
}

/** Returns the runtime's facts about the image. */
async function describe(opened: RemoteSession): Promise<Facts> {
  const requirements = await opened.requirements(), { programs } = requirements;
  const main = programs.find((program) => program === "infer") ?? programs[0];
  const names = await opened.parameterNames();
  const shapes = await Promise.all(names.map((_, index) => opened.parameterShape(index)));
  return {
    requirements,
    programs,
    scheme: await opened.get("scheme"),
    inputs: await opened.inputs(),
    labels: await opened.labels(),
    outputs: main ? await opened.outputs(main) : [],
    parameters: names.map((name, index) => ({ name, shape: shapes[index]! })),
  };
}
