import { useState } from "preact/hooks";
import { attempt } from "../notice";
import { Card } from "../parts/card";
import { printed, type } from "./connection";
import { work } from "./work";

/** The board's console, for users who type commands. */
export function ConsoleCard() {
  const [line, setLine] = useState(""), [busy, setBusy] = useState(false);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await attempt(() => type(line));
    setBusy(false);
    setLine("");
  };
  return (
    <Card title="Console" class="console">
      <details>
        <summary>Type to the board</summary>
        <pre tabIndex={0} role="log" aria-label="What the board printed">{printed.value || "Type help for the commands."}</pre>
        <form class="row" onSubmit={send}>
          <input aria-label="Command" placeholder="info" autocomplete="off" spellcheck={false} value={line} disabled={busy}
            onInput={(event) => setLine(event.currentTarget.value)} />
          <button type="submit" disabled={busy || work.value !== null || !line.trim()}>Send</button>
        </form>
      </details>
    </Card>
  );
}
