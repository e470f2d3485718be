import { useEffect, useState } from "preact/hooks";
import { Board, hasSerial, type SerialPortLike } from "gradmote/serial";
import { attempt } from "../notice";
import { Card } from "../parts/card";
import { ChoiceField } from "../parts/fields";
import { Missing } from "../parts/missing";
import { board, connect, connectAgain } from "./connection";
import { ConsoleCard } from "./console_card";
import { DeviceCard } from "./device_card";
import { ModelCard } from "./model_card";
import { SensorCard } from "./sensor_card";
import { StateCard } from "./state_card";
import { TrainingCard } from "./training_card";

const RATES = Object.fromEntries([9600, 57600, 115200, 230400, 460800, 921600].map((rate) => [rate, String(rate)]));

export function BoardPanel() {
  return (
    <section class="panel board">
      <h2>Board</h2>
      {!hasSerial() ? <Unsupported /> : board.value ? <Connected /> : <Connect />}
    </section>
  );
}

function Unsupported() {
  return (
    <Missing>
      {globalThis.isSecureContext
        ? "This browser has no WebSerial. Chrome, Edge and Opera on a computer have it."
        : "Boards connect only to pages that are opened over https, or at localhost."}
    </Missing>
  );
}

function Connect() {
  const [known, setKnown] = useState<SerialPortLike[]>([]), [rate, setRate] = useState("115200"), [busy, setBusy] = useState(false);
  useEffect(() => void Board.ports().then(setKnown, () => undefined), []);
  const opening = (open: () => Promise<void>) => async () => {
    setBusy(true);
    await attempt(open);
    setBusy(false);
  };
  return (
    <Card title="Connect" class="connect" hint="The board runs Gradmote's firmware, and a cable joins it to this computer.">
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={opening(() => connect(Number(rate)))}>Connect a board</button>
        {known.map((port, index) => (
          <button key={index} type="button" disabled={busy} onClick={opening(() => connectAgain(port, Number(rate)))}>
            {known.length > 1 ? `Connect board ${index + 1} again` : "Connect it again"}
          </button>
        ))}
      </div>
      <details>
        <summary>The line's speed, and bare boards</summary>
        <div class="fields">
          <ChoiceField label="Baud rate" value={rate} choices={RATES} onValue={setRate} />
        </div>
        <p class="soft">
          Flash a bare board with its own tools: one with a drive takes a UF2 file; for others, use
          <code> gradmote flash --board NAME</code>. Ports of USB run at any speed; the firmware's UARTs at 115200.
        </p>
      </details>
    </Card>
  );
}

function Connected() {
  return (
    <div class="columns">
      <div class="aside">
        <DeviceCard />
        <ModelCard />
        <StateCard />
      </div>
      <div class="found">
        <TrainingCard />
        <SensorCard />
        <ConsoleCard />
      </div>
    </div>
  );
}
