import { useId } from "preact/hooks";
import { compiler } from "../compiler/client";
import { attempt } from "../notice";
import { Card } from "../parts/card";
import { download, renamed } from "../parts/download";
import { ChoiceField, NumberField, TextField } from "../parts/fields";
import { model } from "../state";
import { choose, compileAgain, compiling, onnx, options } from "./files";

const LOSSES = {
  cross_entropy: "Cross-entropy",
  mse: "Mean squared error",
  l1: "Mean absolute error",
  bce_with_logits: "Binary cross-entropy",
  "": "None: the image only infers",
};
const OPTIMIZERS = { adamw: "AdamW", adam: "Adam", sgd: "SGD", adamw_ort: "AdamW of ONNX Runtime" };

/** The options for compiling the ONNX file, and the button that compiles it. */
export function CompileCard() {
  if (!onnx.value && !model.value) return null;
  const id = useId(), busy = compiling.value;
  return (
    <Card title="Compile" class="controls">
      {onnx.value ? <Fields disabled={busy} /> : <p class="soft">An image is compiled already. Drop an ONNX file to choose loss, optimizer and scheme.</p>}
      <div class="row">
        {onnx.value && (
          <button type="button" class="primary" disabled={busy} aria-describedby={id} onClick={() => void attempt(compileAgain)}>
            Compile {onnx.value.name}
          </button>
        )}
        {busy && <button type="button" onClick={() => compiler.cancel()}>Stop</button>}
        {model.value && <button type="button" onClick={saveImage}>Save the image</button>}
      </div>
      <p class="soft small" id={id} role="status">{compiler.progress.value || (busy ? "Compiling" : "")}</p>
    </Card>
  );
}

function Fields({ disabled }: { disabled: boolean }) {
  const { loss, optimizer, learningRate, scheme, batch, budget } = options.value;
  return (
    <div class="fields">
      <ChoiceField whole label="Loss" value={loss} choices={LOSSES} disabled={disabled} onValue={(loss) => choose({ loss })} />
      <ChoiceField label="Optimizer" value={optimizer} choices={OPTIMIZERS} disabled={disabled} onValue={(optimizer) => choose({ optimizer })} />
      <NumberField label="Learning rate" value={learningRate} min={0} max={1000} step="any" disabled={disabled} onValue={(learningRate) => choose({ learningRate })} />
      <NumberField label="Batch" value={batch} min={1} max={4096} disabled={disabled} onValue={(batch) => choose({ batch })} />
      <TextField
        whole
        label="What trains"
        help="full, head, last:3, bias, sparse:0.25"
        value={scheme}
        disabled={disabled}
        onValue={(scheme) => choose({ scheme })}
      />
      <TextField
        whole
        label="RAM at the most"
        help="such as 96K; empty for no limit"
        value={budget}
        pattern="\s*(\d+(\.\d+)?\s*[KkMm]?[Bb]?)?\s*"
        disabled={disabled}
        onValue={(budget) => choose({ budget })}
      />
    </div>
  );
}

function saveImage(): void {
  download(renamed(model.value!.name, ".mote"), model.value!.image);
}
