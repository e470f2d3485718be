// What every panel is held against: WCAG 2.1 A and AA as axe-core finds them, light and dark; windows that are narrow and
// wide; and what the browser's console says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tools, until } from "./studio.mjs";

const AXE = readFileSync(join(tools, "node_modules", "axe-core", "axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const WIDTHS = [390, 768, 1280, 2560];
/** The colours in which rules look at a width; the layout of the others is between these. */
const RULED = { 390: ["light", "dark"], 1280: ["light", "dark"] };
/** The colours for a state that has less to look at. */
export const BRIEFLY = { 390: ["dark"], 1280: ["light"] };

/** Looks at a page, and collects what it found. */
export class Rules {
  #page;
  #found = { looks: 0, broken: [], wide: [], console: [] };

  constructor(page) {
    this.#page = page;
    page.on("console", (message) => message.type() === "error" && this.#found.console.push(message.text()));
  }

  told() {
    return this.#found;
  }

  /** Looks at what the page shows now; `place` names that. */
  async look(place, ruled = RULED) {
    const page = this.#page;
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      if (!(await this.#fits())) this.#found.wide.push(`${place} at ${width}: ${await this.#widest()}`);
      for (const colorScheme of ruled[width] ?? []) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
        await this.#judge(`${place} at ${width}, ${colorScheme}`);
      }
    }
  }

  /** Returns whether all is within the window, once curves have followed its new width. */
  #fits() {
    const inside = () => this.#page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    return until(inside, 2).catch(() => false);
  }

  /** Names what reaches furthest to the right. */
  #widest() {
    return this.#page.evaluate(() => {
      const right = (element) => element.getBoundingClientRect().right;
      const all = [...document.querySelectorAll("main *, header *, nav *")];
      const most = all.reduce((most, element) => (right(element) > right(most) ? element : most));
      return most.outerHTML.slice(0, 120);
    });
  }

  async #judge(place) {
    if (!(await this.#page.evaluate(() => "axe" in globalThis))) await this.#page.evaluate(AXE);
    const run = async (values) => (await axe.run(document, { runOnly: values })).violations;
    for (const { id, nodes } of await this.#page.evaluate(run, RULES)) {
      const told = nodes.map(({ html, failureSummary }) => `${place}: ${id}: ${html.slice(0, 160)} ${failureSummary}`);
      this.#found.broken.push(...told);
    }
    this.#found.looks += 1;
  }
}
