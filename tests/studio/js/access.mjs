// Looks at every panel, empty, with a model and data, and trained, in widths and colours: what axe-core finds against
// WCAG 2.1 A and AA, what is wider than the window, and what the browser's console says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openExample, openStudio, tools, toStep, until } from "./studio.mjs";

const AXE = readFileSync(join(tools, "node_modules", "axe-core", "axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
const STEPS = ["model", "data", "train", "teach", "board"];
const WIDTHS = [390, 768, 1280, 2560];
/** Rules look at these; the layout of the others lies between them. */
const RULED = [390, 1280];

const console_ = [];
const studio = await openStudio({
  before: (page) => page.on("console", (message) => message.type() === "error" && console_.push(message.text())),
});
const { page } = studio;
const found = [], wide = [];
let looks = 0;

/** Looks at what the page shows now. */
async function look(place) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    if (!(await fits())) wide.push(`${place} at ${width}: ${await widest()}`);
    for (const colorScheme of RULED.includes(width) ? ["light", "dark"] : []) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
      await violations(`${place} at ${width}, ${colorScheme}`);
    }
  }
}

/** Tells whether all is within the window, once curves have followed its new width. */
async function fits() {
  const inside = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  return until(inside, 2).catch(() => false);
}

async function violations(place) {
  looks += 1;
  const told = await page.evaluate(async (values) => (await axe.run(document, { runOnly: values })).violations, RULES);
  for (const { id, nodes } of told) {
    for (const { html, failureSummary } of nodes) found.push(`${place}: ${id}: ${html.slice(0, 160)} ${failureSummary}`);
  }
}

/** Names what reaches furthest to the right. */
function widest() {
  return page.evaluate(() => {
    const right = (element) => element.getBoundingClientRect().right;
    const all = [...document.querySelectorAll("main *, header *, nav *")];
    const most = all.reduce((most, element) => (right(element) > right(most) ? element : most));
    return most.outerHTML.slice(0, 120);
  });
}

async function lookAtAll(state) {
  for (const step of STEPS) {
    await toStep(page, step);
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    await look(`${step}, ${state}`);
  }
}

await page.evaluate(AXE);
await lookAtAll("empty");
await openExample(page);
await lookAtAll("open");
await toStep(page, "train");
await page.getByLabel("Epochs").fill("1");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.getByRole("button", { name: "Train", exact: true }).waitFor();
await look("train, trained");
await toStep(page, "model");
const broken = { name: "broken.mote", mimeType: "application/octet-stream", buffer: Buffer.from("no image") };
await page.locator("main input[type=file]").first().setInputFiles(broken);
await page.getByRole("alert").getByText("GM_ERR").waitFor();
await look("model, refused");
await studio.end({ looks, found, wide, console: console_ });
