import { stop, work, type Tools, run } from "./work";

/** What the board is busy with, where the title is that of this card's work. */
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

/** A button that gives the board some work. It rests while the board is busy. */
export function WorkButton({ title, work: name, action, primary = false, disabled = false }: Props) {
  return (
    <button type="button" class={primary ? "primary" : ""} disabled={disabled || work.value !== null} onClick={() => void run(name, action)}>
      {title}
    </button>
  );
}
