// Goes through the page by the keyboard alone, empty and with a model; Enter and Space open an example and train it.

import { openStudio } from "./studio.mjs";
import { walkThrough } from "./walk.mjs";

const STEPS = ["model", "data", "train", "teach", "board"];
const studio = await openStudio();
const { page } = studio;

/** Presses Tab until the control, once there is one to press, has the focus, then a key. */
async function press(key, selector, text = "") {
  await page.locator(`${selector}:not(:disabled)`, { hasText: text }).first().waitFor();
  const there = ([selector, text]) =>
    document.activeElement.matches(selector) && document.activeElement.textContent.startsWith(text);
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(there, [selector, text])) return page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${selector} ${text}`);
}

/** Waits until a step shows. */
const shown = (step) => page.locator(`.steps a[href="#${step}"][aria-current="page"]`).waitFor();

const walks = {};
async function walkAll(state) {
  for (const step of STEPS) {
    await page.evaluate((to) => (location.hash = to), step);
    await shown(step);
    walks[`${step}, ${state}`] = await walkThrough(page);
  }
}

await page.locator("[data-example]").first().waitFor();
await walkAll("empty");
await press("Enter", '.steps a[href="#model"]');
await shown("model");
await press("Enter", '[data-example="digits-cnn"]');
await page.getByText("digits-cnn.mote").first().waitFor();
await walkAll("open");
await press("Enter", '.steps a[href="#train"]');
await shown("train");
const focus = await page.evaluate(() => document.activeElement.id);
const before = await page.locator("[data-steps]").textContent();
await press("Space", "main button", "Train");
await page.waitForFunction((old) => document.querySelector("[data-steps]").textContent !== old, before);
await studio.end({ walks, focus, before, trained: await page.locator("[data-steps]").textContent() });
