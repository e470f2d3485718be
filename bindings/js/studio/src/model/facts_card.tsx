import type { TensorInfo } from "gradmote";
import { Card } from "../parts/card";
import { bytes, exact, shaped } from "../parts/format";
import { Table } from "../parts/table";
import { facts } from "../state";

/** The facts in the image itself: tensors, parameters, programs. */
export function FactsCard() {
  const { requirements, inputs, labels, outputs, parameters, programs } = facts.value!;
  const tensors: [string, TensorInfo[]][] = [["input", inputs], ["label", labels], ["output", outputs]];
  const rows = tensors.flatMap(([role, some]) => some.map((one) => [one.name ?? role, role, shaped(one.shape), one.dtype, exact(one.size)]));
  return (
    <Card title="Inside the image">
      <dl class="facts">
        <div><dt>State</dt><dd>{bytes(requirements.stateSize)}</dd></div>
        <div><dt>Parameters</dt><dd>{bytes(requirements.parametersSize)}</dd></div>
        <div><dt>Gradients kept</dt><dd>{bytes(requirements.gradientsSize)}</dd></div>
        <div><dt>Programs</dt><dd>{programs.join(", ")}</dd></div>
      </dl>
      <Table
        label="Inputs, labels and outputs"
        columns={[{ title: "Tensor" }, { title: "Role" }, { title: "Shape, batch first" }, { title: "Type" }, { title: "Bytes", numeric: true }]}
        rows={rows}
      />
      <details>
        <summary>{parameters.length} parameters that train</summary>
        <Table
          label="Parameters that train"
          columns={[{ title: "Parameter" }, { title: "Shape" }]}
          rows={parameters.map(({ name, shape }) => [name, shaped(shape)])}
        />
      </details>
    </Card>
  );
}
