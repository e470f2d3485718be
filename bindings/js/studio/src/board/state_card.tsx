import { Card } from "../parts/card";
import { exact } from "../parts/format";
import { state as here } from "../training/run";
import { info, isSameModel, state } from "./connection";
import { bringBack, resetBoard, saveFile, sendState } from "./transfer";
import { WorkButton, Working } from "./working";

const TITLES = ["Bringing the state here", "Sending the state", "Saving", "Starting over"];

/** What the board learned: compare it with the page's state, bring it here, send one there, save it. */
export function StateCard() {
  const told = state.value;
  if (!told) return null;
  return (
    <Card title="State">
      <dl class="facts">
        <div><dt>Updates on the board</dt><dd data-updates>{exact(told.updates)}</dd></div>
        <div class="long"><dt>SHA-256 on the board</dt><dd><code data-board-digest>{told.digest}</code></dd></div>
      </dl>
      <p data-compared>{compared()}</p>
      <div class="row">
        <WorkButton title="Bring it into the page" work={TITLES[0]!} action={bringBack} disabled={!isSameModel.value} />
        <WorkButton title="Send the page's state" work={TITLES[1]!} action={sendState} disabled={!isSameModel.value} />
      </div>
      <div class="row">
        <WorkButton title="Save checkpoint" work={TITLES[2]!} action={saveFile} />
        <WorkButton title="Start over" work={TITLES[3]!} action={resetBoard} />
      </div>
      <Working titles={TITLES} />
    </Card>
  );
}

/** Returns how the board's state compares with the page's. */
function compared(): string {
  if (!isSameModel.value) return "It belongs to a different model.";
  if (here.value?.digest === state.value!.digest) return "The page has the same state, byte for byte.";
  const isFused = info.value!.profile === "fused";
  return isFused ? "The page's state differs: a fused board's bits differ from a page's even after the same training." : "The page's state differs.";
}
