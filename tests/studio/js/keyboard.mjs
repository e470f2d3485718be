// Goes through the page by the keyboard alone, empty and with a model; Enter and Space open an example and train it.

import { openStudio } from "./studio.mjs";
import { walkThrough } from "./walk.mjs";

const STEPS = ["model", "data", "train", "teach", "board"];
const studio = await openStudio();
const { page } = studio;

/** Presses Tab until the control has the focus, then a key. */
async function press(key, selector, text = "") {
  const there = ([selector, text]) =>
    document.activeElement.matches(selector) && document.activeElement.textContent.startsWith(text);
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(there, [selector, text])) return page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${selector} ${text}`);
}

const walks = {};
async function walkAll(state) {
  for (const step of STEPS) {
    await page.evaluate((to) => (location.hash = to), step);
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    walks[`${step}, ${state}`] = await walkThrough(page);
  }
}

await page.locator("[data-example]").first().waitFor();
await walkAll("empty");
await press("Enter", '.steps a[href="#model"]');
await page.locator("[data-example]").first().waitFor();
await press("Enter", '[data-example="digits-cnn"]');
await page.getByText("digits-cnn.mote").first().waitFor();
await walkAll("open");
await press("Enter", '.steps a[href="#train"]');
await page.getByLabel("Epochs").waitFor();
await page.waitForFunction(() => document.activeElement.id !== "");
const focus = await page.evaluate(() => document.activeElement.id);
const before = await page.locator("[data-steps]").textContent();
await press("Space", "main button", "Train");
await page.waitForFunction((old) => document.querySelector("[data-steps]").textContent !== old, before);
await studio.end({ walks, focus, before, trained: await page.locator("[data-steps]").textContent() });
