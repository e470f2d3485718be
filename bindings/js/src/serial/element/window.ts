import { button, drawn, node } from "./nodes.js";

/** The number of points that the curve keeps. */
const POINTS = 400;

/** A window above the page: a title, one view at a time, and a live region for screen readers. */
export class BoardWindow {
  readonly dialog: HTMLDialogElement;
  #title = node("h2", { tabIndex: -1, id: "title" });
  #body = node("div", { className: "body", part: "body" });
  #spoken = node("div", { className: "unseen", role: "status" });

  constructor(onClose: () => void) {
    const close = button("Close", () => this.close(), "close");
    close.className = "quiet";
    const header = node("header", { part: "header" }, this.#title, close);
    this.dialog = node("dialog", { part: "dialog", "aria-labelledby": "title", onclose: onClose }, header, this.#body, this.#spoken);
  }

  /** Opens the window, unless it is open. */
  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }

  close(): void {
    this.dialog.close();
  }

  /** Shows another view, and moves the keyboard focus there. */
  show(title: string, ...content: (Node | string)[]): void {
    this.#title.textContent = title;
    this.#body.replaceChildren(...content);
    if (this.dialog.open) this.#title.focus({ preventScroll: true });
  }

  /** Announces to screen readers what others see. */
  say(text: string): void {
    if (this.#spoken.textContent !== text) this.#spoken.textContent = text;
  }
}

/** A progress bar, with words under it. */
export class Bar {
  #bar = node("progress", { part: "progress", max: 1, value: 0 });
  #words = node("p", { className: "soft" });
  readonly nodes: Node[];

  constructor(private readonly window: BoardWindow, label: string) {
    this.#bar.setAttribute("aria-label", label);
    this.nodes = [this.#bar, this.#words];
  }

  /** Shows the progress, from 0 to 1. Announces it to screen readers at each quarter. */
  set(share: number, words: string): void {
    if (Math.floor(share * 4) !== Math.floor(this.#bar.value * 4)) this.window.say(words);
    this.#bar.value = share;
    this.#words.textContent = words;
  }
}

/** The curve of the loss, drawn as it arrives. */
export class Curve {
  #line = drawn("polyline", { points: "" });
  #losses: number[] = [];
  readonly drawing = drawn("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", part: "curve", "aria-hidden": "true" }, this.#line);

  add(loss: number): void {
    if (!Number.isFinite(loss)) return;
    this.#losses.push(loss);
    if (this.#losses.length > POINTS) this.#losses = this.#losses.filter((_, i) => i % 2 === 0);
    const top = Math.max(...this.#losses), bottom = Math.min(...this.#losses), last = Math.max(1, this.#losses.length - 1);
    const points = this.#losses.map((each, i) => `${(100 * i) / last},${6 + (88 * (top - each)) / (top - bottom || 1)}`);
    this.#line.setAttribute("points", points.join(" "));
  }
}
