/** Some samples of the data, with their labels. */
import { useMemo, useState } from "preact/hooks";

import type { Dataset, Range } from "./dataset";
import { sizeOf } from "./loaded";
import { lookOf } from "./look";
import { drawing } from "../training/random";
import { Thumbnail } from "./thumbnail";
import { figure } from "./wording";

const SHOWN = 24;

export function Samples({ data, range }: { data: Dataset; range: Range }) {
  const [draw, setDraw] = useState(0);
  const chosen = useMemo(() => drawn(data.count, draw), [data, draw]);
  const look = lookOf(data.sampleShape), size = sizeOf(data.sampleShape);
  return (
    <section class="card" aria-labelledby="samples-title">
      <div class="row spread">
        <h3 id="samples-title">Samples</h3>
        {data.count > SHOWN && <button type="button" onClick={() => setDraw(draw + 1)}>Show others</button>}
      </div>
      <ul class="samples">
        {chosen.map((sample) => (
          <li key={sample}>
            <Thumbnail
              sample={data.x.subarray(sample * size, (sample + 1) * size)}
              look={look}
              least={range.least}
              largest={range.largest}
              label={`Sample ${sample}: ${labelOf(data, sample)}`}
            />
            <span title={labelOf(data, sample)}>{labelOf(data, sample)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the indices of some samples: first those at the beginnings of equal parts, on later draws random ones. */
function drawn(count: number, draw: number): number[] {
  const shown = Math.min(SHOWN, count), random = drawing(draw);
  if (shown === count) return Array.from({ length: count }, (_, sample) => sample);
  const found = new Set<number>();
  for (let at = 0; at < shown && !draw; at++) found.add(Math.floor((at * count) / shown));
  while (found.size < shown) found.add(Math.floor(random() * count));
  return [...found].sort((one, other) => one - other);
}

/** Returns a sample's label in words: its class, or its targets. */
export function labelOf(data: Dataset, sample: number): string {
  if (!data.y.length) return "no label";
  const width = sizeOf(data.labelShape), labels = [...data.y.subarray(sample * width, (sample + 1) * width)];
  return labels.slice(0, 3).map((label) => data.classes[label] ?? figure(label)).join(", ") + (width > 3 ? ", ..." : "");
}
