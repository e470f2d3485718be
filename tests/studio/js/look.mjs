// Takes pictures of every step in all widths and colours, of nothing, an example and an image; and the one of the guide.

import { openExample, openStudio, shotsOf, toStep } from "./studio.mjs";

const studio = await openStudio({ context: { viewport: { width: 1280, height: 860 } } });
const { page } = studio;
const each = async (name) => {
  for (const step of ["model", "data", "train", "teach", "board"]) {
    await toStep(page, step);
    await page.waitForTimeout(300);
    await shotsOf(studio, `${name}-${step}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: "light" });
};

await page.locator("[data-example]").first().waitFor();
await each("empty");
await toStep(page, "model");
await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "samples" }).waitFor();
await toStep(page, "train");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.getByText(/Trained after/).first().waitFor();
await page.getByRole("button", { name: "Dismiss" }).click();
await page.waitForTimeout(300);
await studio.shot("guide");
await each("example");
await studio.end({});
