// The frame of the page. Only the panel of the current step is mounted: state that must outlast a panel is kept in
// signals outside of it.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentType } from "preact";
import { BoardPanel } from "./board/panel";
import { DataPanel } from "./data/panel";
import { ModelPanel } from "./model/panel";
import { InstallButton, NewVersion } from "./offline/parts";
import { Notices } from "./parts/notices";
import { ThemeButton } from "./parts/theme";
import { STEPS, step, type Step } from "./route";
import { statusOf } from "./status";
import { TeachPanel } from "./teach/panel";
import { TrainingPanel } from "./training/panel";

const PANELS: Record<Step, { title: string; panel: ComponentType }> = {
  model: { title: "Model", panel: ModelPanel },
  data: { title: "Data", panel: DataPanel },
  train: { title: "Train", panel: TrainingPanel },
  teach: { title: "Teach", panel: TeachPanel },
  board: { title: "Board", panel: BoardPanel },
};

export function App() {
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <header class="top">
        <h1 class="brand">
          <Mark /> Gradmote Studio
        </h1>
        <div class="tools">
          <InstallButton />
          <ThemeButton />
        </div>
        <NewVersion />
      </header>
      <Steps />
      <Main />
      <Notices />
    </>
  );
}

function Steps() {
  return (
    <nav class="steps" aria-label="Steps">
      <ol>
        {STEPS.map((name, index) => (
          <li key={name}>
            <a href={`#${name}`} aria-current={step.value === name ? "page" : undefined}>
              <span class="number" aria-hidden="true">{index + 1}</span>
              <span class="title">{PANELS[name].title}</span>
              <span class="status">{statusOf(name)}</span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/**
 * The current panel. It takes the focus before a new step's first paint: later, it would take it from a typing user.
 */
function Main() {
  const { title, panel: Panel } = PANELS[step.value];
  const main = useRef<HTMLElement>(null), shown = useRef(step.value);
  useLayoutEffect(() => {
    document.title = `${title} - Gradmote Studio`;
    if (shown.current !== step.value) main.current?.focus({ preventScroll: true });
    if (shown.current !== step.value) scrollTo({ top: 0 });
    shown.current = step.value;
  }, [step.value]);
  return (
    <main id="main" ref={main} tabIndex={-1} aria-label={title} key={step.value}>
      <Panel />
    </main>
  );
}

function toMain(event: Event): void {
  event.preventDefault(); // the address names the step
  document.getElementById("main")?.focus();
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 64 64" aria-hidden="true">
      <path d="M10 16c14 2 14 30 24 30 7 0 8-12 18-12" />
      <circle cx="54" cy="34" r="6" />
    </svg>
  );
}
