// Samples of other kinds: numbers to predict, classes that are unknown to the model, and a shape that does not fit.
// VALUES: a model that predicts numbers, and the .npz files.

import { openExample, openStudio, toStep, values } from "./studio.mjs";

const [image, numbers, classes, shape] = values;
const studio = await openStudio();
const { page } = studio;
const openData = async (file, count) => {
  await toStep(page, "data");
  await page.locator("main input[type=file]").first().setInputFiles(file);
  await page.locator('.steps a[href="#data"]', { hasText: `${count} samples` }).waitFor();
  await toStep(page, "train");
};
const train = () => page.getByRole("button", { name: "Train", exact: true }).click();

await page.locator("main input[type=file]").first().setInputFiles(image);
await page.getByText("own.mote").first().waitFor();
await openData(numbers, 300);
await train();
await page.getByText(/Trained after/).first().waitFor();
const predicted = { told: await page.locator(".notices").textContent(), charts: await page.locator(".chart").count() };
predicted.loss = Number(await page.locator(".result .figures dd").first().textContent());
predicted.answer = await page.locator(".answer").textContent();

await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "1,797 samples" }).waitFor();
await openData(classes, 80);
await train();
const outside = await page.getByRole("alert").textContent();
await openData(shape, 80);
const unfit = await page.locator(".missing").textContent();
await studio.end({ predicted, outside, unfit });
