// Drops files beside the places for them: a model opens, samples are read, and the page stays. VALUES: the model's file.

import { readFileSync } from "node:fs";
import { openStudio, toStep, values } from "./studio.mjs";

const studio = await openStudio();
const { page } = studio;

/** Drops a file on an element, as a hand does. */
async function drop(selector, name, bytes) {
  const files = await page.evaluateHandle(([name, bytes]) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], name));
    return carried;
  }, [name, [...bytes]]);
  await page.dispatchEvent(selector, "dragover", { dataTransfer: files });
  await page.dispatchEvent(selector, "drop", { dataTransfer: files });
}

const status = (step) => page.locator(`.steps a[href="#${step}"] .status`);
await toStep(page, "board");
await drop("header", "own.mote", readFileSync(values[0]));
await status("model").getByText("own.mote").waitFor();
const shown = [await page.locator(".steps [aria-current] .title").textContent()];
await drop("header", "rows.csv", Buffer.from(`${Array.from({ length: 64 }, (_, i) => `x${i}`)},label\n`.concat(`${Array(64).fill(0.5)},1\n`.repeat(8))));
await status("data").getByText("8 samples").waitFor();
shown.push(await page.locator(".steps [aria-current] .title").textContent());
await toStep(page, "model");
await drop(".drop", "second.mote", readFileSync(values[0]));
await status("model").getByText("second.mote").waitFor();
await studio.end({ shown });
