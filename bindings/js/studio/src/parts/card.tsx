import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  title: string;
  /** What the reader should know, below the title. */
  hint?: string;
  class?: string;
  children: ComponentChildren;
}

/** A part of a panel, with its heading. */
export function Card({ title, hint, class: name = "", children }: Props) {
  const id = useId();
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {hint && <p class="soft small">{hint}</p>}
      {children}
    </section>
  );
}

/** The figures that matter most: a number, and its meaning below. */
export function Figures({ of }: { of: [value: string, meaning: string][] }) {
  return (
    <dl class="figures">
      {of.map(([value, meaning]) => (
        <div key={meaning}>
          <dd>{value}</dd>
          <dt>{meaning}</dt>
        </div>
      ))}
    </dl>
  );
}
