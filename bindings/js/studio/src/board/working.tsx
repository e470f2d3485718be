import { stop, work, type Tools, run } from "./work";

/** The board's current work, if it was started from this card: `titles` are those of the card's actions. */
export function Working({ titles }: { titles: readonly string[] }) {
  const now = work.value;
  if (!now || !titles.includes(now.title)) return null;
  return (
    <div class="far">
      <progress max={1} {...(now.share === null ? {} : { value: now.share })} aria-label={now.title} />
      <div class="row between">
        <span class="figure soft">{now.title}{now.words && `: ${now.words}`}</span>
        <button type="button" onClick={stop}>Stop</button>
      </div>
    </div>
  );
}

interface Props {
  title: string;
  work: string;
  action: (tools: Tools) => Promise<string>;
  primary?: boolean;
  disabled?: boolean;
}

/** A button that starts an action on the board. It is disabled while the board is busy. */
export function WorkButton({ title, work: name, action, primary = false, disabled = false }: Props) {
  return (
    <button type="button" class={primary ? "primary" : ""} disabled={disabled || work.value !== null} onClick={() => void run(name, action)}>
      {title}
    </button>
  );
}
