// Reads large files in the data panel, and returns the seconds and the longest frame of each: FILE...

import { openStudio, toStep, values } from "./studio.mjs";

const studio = await openStudio();
const { page } = studio;
const found = [];
await toStep(page, "data");
for (const file of values) {
  await page.evaluate(() => {
    globalThis.frames = [];
    let last = performance.now();
    const look = (now) => {
      globalThis.frames.push(now - last);
      last = now;
      globalThis.looking = requestAnimationFrame(look);
    };
    globalThis.looking = requestAnimationFrame(look);
  });
  const start = Date.now();
  await page.locator("main input[type=file]").first().setInputFiles(file);
  await page.locator("progress").waitFor();
  const shown = await page.locator("progress").evaluate(async (bar) => {
    const seen = new Set();
    while (bar.isConnected) {
      seen.add(bar.value);
      await new Promise(requestAnimationFrame);
    }
    return seen.size;
  });
  const seconds = (Date.now() - start) / 1000;
  const [frames, longest] = await page.evaluate(() => {
    cancelAnimationFrame(globalThis.looking);
    return [globalThis.frames.length, Math.max(...globalThis.frames.slice(1))];
  });
  const arrays = await page.locator(".arrays tbody tr").first().locator("th, td").allTextContents();
  const notice = await page.locator(".notice").allTextContents();
  found.push({ seconds, frames, longest, shown, arrays, notice });
}
await page.locator("main input[type=file]").first().setInputFiles(values[0]);
await page.getByRole("button", { name: "Stop", exact: true }).click();
await page.locator(".panel[aria-busy=false]").waitFor();
const kept = await page.locator(".arrays tbody tr").first().locator("th, td").allTextContents();
await studio.end({ found, kept, notice: await page.locator(".notice").allTextContents() });
