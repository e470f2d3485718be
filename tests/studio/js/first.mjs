// Opens the page, goes through its steps, opens an example and a .mote, and tries a file that is none.

import { openExample, openStudio, toStep, values } from "./studio.mjs";

const [image] = values;
const studio = await openStudio();
const { page } = studio;
const steps = {};
for (const name of ["model", "data", "train", "teach", "board"]) {
  await toStep(page, name);
  steps[name] = await page.getByRole("heading", { level: 2 }).first().textContent();
}
await openExample(page);
const example = await page.locator(".steps [aria-current] .status").textContent();
await page.locator("main input[type=file]").first().setInputFiles(image);
await page.getByText("own.mote").first().waitFor();
await page.locator("main input[type=file]").first().setInputFiles({
  name: "broken.mote",
  mimeType: "application/octet-stream",
  buffer: Buffer.from("no image"),
});
const refused = await page.getByRole("alert").textContent();
const kept = await page.locator(".steps [aria-current] .status").textContent();
await studio.shot("first");
await studio.end({ steps, example, refused, kept });
