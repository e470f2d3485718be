// Gives the data panel files of every form, by its buttons and by dropping, and returns what it then shows. FOLDER has
// the files and IMAGE a model; CASES is a JSON list of { name, files, folder, dropped, model, resize, label, scale }.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openStudio, shotsOf, toStep, values } from "./studio.mjs";

const [folder, image, asked] = values;
const studio = await openStudio();
const { page } = studio;
const found = {};

/** Returns what the panel shows, and the notice. */
async function shown() {
  const text = async (selector) => (await page.locator(selector).allTextContents()).map((line) => line.trim());
  const cells = (row) => row.locator("th, td").allTextContents();
  return {
    title: await text(".given h3"),
    verdict: await text(".verdict"),
    notes: await text(".remarks li"),
    arrays: await Promise.all((await page.locator(".arrays tbody tr").all()).map(cells)),
    classes: await Promise.all((await page.locator(".classes tbody tr").all()).map(cells)),
    thumbnails: await page.locator(".samples li").count(),
    notice: await text(".notice"),
  };
}

/** Waits until nothing is read. */
async function settled() {
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.locator(".panel[aria-busy=false]").waitFor();
}

/** Lets files fall on the panel. */
async function drop(names, awaited = ".panel[aria-busy=false]") {
  const files = await Promise.all(names.map(async (name) => [name, [...(await readFile(join(folder, name)))]]));
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, bytes] of files) transfer.items.add(new File([Uint8Array.from(bytes)], name));
    return transfer;
  }, files);
  await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.locator(awaited).first().waitFor();
}

/** Gives files, and waits until they are read or refused. */
async function give({ files, folder: isFolder, dropped }) {
  if (await page.locator(".notice").count()) await page.getByRole("button", { name: "Dismiss" }).click();
  if (dropped) return drop(files);
  const input = page.locator("main input[type=file]").nth(isFolder ? 1 : 0);
  await input.setInputFiles(isFolder ? join(folder, files[0]) : files.map((name) => join(folder, name)));
  await settled();
}

await toStep(page, "data");
await page.getByRole("heading", { name: "Data" }).waitFor();
for (const { model, resize, label, scale, ...given } of JSON.parse(asked)) {
  if (model) {
    await toStep(page, "model");
    await page.locator("main input[type=file]").first().setInputFiles(image);
    await page.locator(".steps [aria-current] .status", { hasText: ".mote" }).waitFor();
    await toStep(page, "data");
  }
  if (given.files) await give(given);
  if (resize) {
    await page.getByLabel("Stretch pictures").check();
    await settled();
  }
  if (label) await page.getByLabel("Column of the label").selectOption(label);
  if (scale) await page.getByLabel("Scale of the samples").selectOption(scale);
  await settled();
  found[given.name] = await shown();
  if (given.shots) await shotsOf(studio, `data-${given.name}`, [390, 1280]);
}
await drop(["model.mote"], "text=model.mote");
const step = await page.getByRole("heading", { level: 2 }).first().textContent();
await toStep(page, "data");
await page.getByRole("button", { name: "Clear" }).click();
await page.getByText("There is no data yet").waitFor();
await studio.end({ found, step });
