// Takes pictures of the model step and of the whole page in all widths and colours: of nothing, an example, a .mote.

import { openExample, openStudio, shotsOf, toStep, values } from "./studio.mjs";

const [image] = values;
const studio = await openStudio();
const { page } = studio;
await page.locator("[data-example]").first().waitFor();
await shotsOf(studio, "model-empty");
await openExample(page);
await page.locator(".map").waitFor();
await page.locator("[data-block]").nth(9).hover();
await shotsOf(studio, "model-example");
if (image) {
  await page.locator("main input[type=file]").first().setInputFiles(image);
  await page.getByText("Load the compiler").waitFor();
  await shotsOf(studio, "model-image", [390, 1280], ["light", "dark"]);
}
for (const step of ["data", "teach", "board"]) {
  await toStep(page, step);
  await shotsOf(studio, step, [390, 1280], ["light"]);
}
await studio.end({});
