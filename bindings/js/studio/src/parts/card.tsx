import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  title: string;
  /** What the reader should know, shown below the title. */
  hint?: string;
  class?: string;
  children: ComponentChildren;
}

/** A part of a panel, with a heading. */
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

/** The most important figures: each a number, with its meaning below. */
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
