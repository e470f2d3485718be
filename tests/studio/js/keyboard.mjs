// Goes through the page by the keyboard alone: Tab reaches every control of every panel and comes round, each shows that
// it has the focus and is in the window; then Enter and Space open an example and train it.

import { openStudio } from "./studio.mjs";

const STEPS = ["model", "data", "train", "teach", "board"];
const studio = await openStudio();
const { page } = studio;

/** Marks every control that can be reached, and returns their number. Of a group of radio buttons Tab reaches one. */
function mark() {
  return page.evaluate(() => {
    const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
    const groups = new Set();
    let count = 0;
    for (const old of document.querySelectorAll("[data-walk]")) old.removeAttribute("data-walk");
    for (const control of document.querySelectorAll(controls)) {
      const shown = control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]");
      if (!shown || control.disabled || control.tabIndex < 0) continue;
      if (control.type === "radio" && groups.has(control.name)) continue;
      if (control.type === "radio") groups.add(control.name);
      control.dataset.walk = String(count++);
    }
    return count;
  });
}

/** Describes what has the focus: its mark, its name, and whether it can be seen to have it. */
function focused() {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const group = element.type === "radio" ? document.querySelector(`input[name="${element.name}"][data-walk]`) : element;
    const box = element.getBoundingClientRect();
    const inside = box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
    const ring = (one) => one && (getComputedStyle(one).outlineStyle !== "none" || getComputedStyle(one).boxShadow !== "none");
    const label = element.labels?.[0] ?? element.parentElement;
    return { mark: group?.dataset.walk, name: element.outerHTML.slice(0, 120), seen: inside && (ring(element) || ring(label)) };
  });
}

/** Presses a key until the focus comes round; returns what was missed, or could not be seen to have it. */
async function walk(key) {
  const count = await mark(), reached = new Set(), unseen = [];
  for (let presses = 0, last; presses < 2 * count + 10; presses += 1) {
    await page.keyboard.press(key);
    const at = await focused();
    if (at === null || at.mark === last) continue; // the document itself, or another part of the same control
    if (reached.has(at.mark)) break;
    reached.add((last = at.mark));
    if (!at.seen) unseen.push(at.name);
  }
  const missed = await page.evaluate(
    (marks) =>
      [...document.querySelectorAll("[data-walk]")]
        .filter((control) => !marks.includes(control.dataset.walk))
        .map((control) => control.outerHTML.slice(0, 120)),
    [...reached],
  );
  return { count, missed, unseen };
}

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
    walks[`${step}, ${state}`] = { forth: await walk("Tab"), back: await walk("Shift+Tab") };
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
const focus = await page.evaluate(() => document.activeElement.id);
const before = await page.locator("[data-steps]").textContent();
await press("Space", "main button", "Train");
await page.waitForFunction((old) => document.querySelector("[data-steps]").textContent !== old, before);
await studio.end({ walks, focus, before, trained: await page.locator("[data-steps]").textContent() });
