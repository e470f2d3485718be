import { attempt } from "../notice";
import { Card } from "../parts/card";
import { bytes, width } from "../parts/format";
import { disconnect, info, memory } from "./connection";

/** What the board is, and how its memory is divided. */
export function DeviceCard() {
  const told = info.value;
  if (!told) return <Card title="Board"><p class="soft">A connected board describes itself here.</p></Card>;
  return (
    <Card title={told.name} class="device">
      <dl class="facts">
        <div><dt>Firmware</dt><dd>{told.version}</dd></div>
        <div><dt>Numerics</dt><dd data-profile>{told.profile}</dd></div>
        {told.uniqueId && <div class="long"><dt>Part</dt><dd><code>{told.uniqueId}</code></dd></div>}
        {told.keyId && <div class="long"><dt>Takes images of the key</dt><dd><code>{told.keyId}</code></dd></div>}
      </dl>
      <MemoryBars />
      <p class="soft small">
        {told.profile === "strict"
          ? "Strict: it reaches the bits of this page."
          : "Fused: it multiplies and adds in one step, so its bits differ from this page's in the last places."}
      </p>
      <div class="row"><button type="button" onClick={() => void attempt(disconnect)}>Disconnect</button></div>
    </Card>
  );
}

function MemoryBars() {
  const mem = memory.value;
  if (!mem) return null;
  const parts: [string, number][] = [["Firmware", mem.staticRam], ["Stack", mem.stackSize], ["Model", mem.arenaRequired], ["Free", mem.arenaAvailable - mem.arenaRequired]];
  return (
    <ul class="bars" aria-label="Memory of the board">
      {parts.map(([name, size]) => (
        <li key={name}>
          <span class="name">{name}</span>
          <span class="bar" aria-hidden="true"><i style={width(mem.ram ? size / mem.ram : 0)} /></span>
          <span class="figure">{bytes(size)}</span>
        </li>
      ))}
    </ul>
  );
}
