import { Card } from "../parts/card";
import { Missing } from "../parts/missing";
import { bytes } from "../parts/format";
import { facts, model } from "../state";
import { info, isSameModel } from "./connection";
import { sendBoth, sendModel, updateModel } from "./transfer";
import { WorkButton, Working } from "./working";

const TITLES = ["Sending the model", "Updating the model"];

/** The models of page and board: whether the page's fits, and ways to send it. */
export function ModelCard() {
  const [told, opened, known] = [info.value, model.value, facts.value];
  if (!told) return null;
  const has = told.status === 0;
  if (!opened || !known) {
    return (
      <Card title="Model">
        <HasModel />
        <Missing step="model" action="Open a model">To send the board a model, open it here first.</Missing>
      </Card>
    );
  }
  const lacks = lacking(known.requirements.arenaSize, opened.image.length);
  return (
    <Card title="Model" class="send">
      <HasModel />
      <p>{lacks || `${opened.name} fits: it takes ${bytes(known.requirements.arenaSize)} of the board's ${bytes(told.arenaAvailable)}.`}</p>
      <div class="row">
        <WorkButton title="Send the model" work={TITLES[0]!} action={sendModel} primary={!isSameModel.value} disabled={lacks !== ""} />
        <WorkButton title="Send model and state" work={TITLES[0]!} action={sendBoth} disabled={lacks !== ""} />
        {has && <WorkButton title="Update in the field" work={TITLES[1]!} action={updateModel} disabled={lacks !== ""} />}
      </div>
      {has && <p class="soft small">Sending starts over. An update keeps what fits of what the board learned, and the old model until the new one is verified.</p>}
      <Working titles={TITLES} />
    </Card>
  );
}

function HasModel() {
  const { status, imageSize } = info.value!;
  if (status !== 0) return <p>The board has no model{status === -103 ? "" : ` that runs (code ${status})`}.</p>;
  return <p>{isSameModel.value ? "The board has this page's model." : `The board has another model, of ${bytes(imageSize)}.`}</p>;
}

/** Returns why the board cannot take a model; empty if it can. */
function lacking(arena: number, image: number): string {
  const { arenaAvailable, imageArea, name } = info.value!;
  const hint = "Compile it with a smaller batch, a RAM budget, or fewer trained layers.";
  if (arena > arenaAvailable) return `The model takes ${bytes(arena)} of memory, and ${name} has ${bytes(arenaAvailable)}. ${hint}`;
  return image > imageArea ? `The image has ${bytes(image)}, and ${name} has room for ${bytes(imageArea)}. ${hint}` : "";
}
