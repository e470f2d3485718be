// One visit to the studio by a browser that keeps its files: node first_step.mjs CHROMIUM TOOLS PROFILE ADDRESS ONNX WAIT.
// It opens samples, drops a model, and trains; seconds are counted from the drop. With WAIT it drops once the compiler is
// ready.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [chromium, tools, profile, address, onnx, wait] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
const context = await browsers.launchPersistentContext(profile, { executablePath: chromium, args: ["--no-sandbox"] });
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(120_000);
const begun = performance.now();
await page.goto(address);
await page.locator('[data-example="digits-cnn"]').click();
await page.getByText("digits-cnn.mote").first().waitFor();
const opened = performance.now() - begun;
if (wait) await page.locator('html[data-compiler="ready"]').waitFor();
const prepared = performance.now() - begun;
await page.evaluate(watch);
const idle = browserSeconds();
await page.locator("main input[type=file]").first().setInputFiles(onnx);
await page.getByText("digits-mlp.mote").first().waitFor();
await page.locator('.steps a[href="#train"]').click();
await page.getByRole("button", { name: "Train", exact: true }).click();
const stages = await page.evaluate(() => firstStep);
const busy = browserSeconds() - idle;
for (let kept = 0; kept === 0; await page.waitForTimeout(500)) {
  kept = await page.evaluate(async () => (await (await caches.open("gradmote-studio-bytecode")).keys()).length);
}
await context.close();
console.log(JSON.stringify({ opened: opened / 1000, prepared: prepared / 1000, stages, busy }));

/** Begins to watch at the drop: the lines of the compiler, and the first step, which ends it. */
function watch() {
  const stages = [], seen = new Set();
  let began;
  const told = (line) => {
    if (line && !seen.has(line)) seen.add(line) && stages.push([(performance.now() - began) / 1000, line]);
  };
  addEventListener("change", () => (began = performance.now()), { capture: true, once: true });
  globalThis.firstStep = new Promise((done) => {
    const look = () => {
      if (began === undefined) return;
      for (const status of document.querySelectorAll("[role=status]")) told(status.textContent.trim());
      const steps = Number(document.querySelector("progress[aria-label='Steps of this training']")?.value ?? 0);
      const trained = Number((document.querySelector("[data-steps]")?.textContent ?? "0").replaceAll(",", ""));
      if (steps < 1 && trained < 1) return;
      told("The first step");
      observer.disconnect();
      done(stages);
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}

/** Returns the processor time that the browser has taken, in seconds, by Linux's tables. On a busy machine it says more. */
function browserSeconds() {
  const processes = new Map();
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${id}/stat`).split(") ").at(-1).split(" ");
    processes.set(Number(id), { parent: Number(stat[1]), ticks: Number(stat[11]) + Number(stat[12]) });
  }
  const ours = (id) => id === process.pid || (processes.has(id) && ours(processes.get(id).parent));
  const ticks = [...processes].filter(([id]) => id !== process.pid && ours(id)).map(([, { ticks }]) => ticks);
  return ticks.reduce((sum, one) => sum + (one || 0), 0) / 100;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ") "; // it has ended
  }
}
