// Trainings that do not run to their end: numbers that are no longer finite, a pause, a stop, another model, and an
// image that cannot train; then one of an image without the program "step". VALUES: an image that only infers, and one
// that accumulates.

import { openExample, openStudio, toStep, values } from "./studio.mjs";

const [inferring, accumulating] = values;
const studio = await openStudio();
const { page } = studio;
const button = (name) => page.getByRole("button", { name, exact: true });
const digest = () => page.locator("[data-digest]").textContent();
const shownSteps = async () => Number((await page.locator(".far dd").nth(1).textContent()).split(" of ")[0].replaceAll(",", ""));
const steps = async () => Number((await page.locator("[data-steps]").textContent()).replaceAll(",", ""));
const open = async (image) => {
  await toStep(page, "model");
  await page.locator("main input[type=file]").first().setInputFiles(image);
  await page.getByText("own.mote").first().waitFor();
};
const begin = async (rate, epochs) => {
  await page.getByLabel("Learning rate").fill(rate);
  await page.getByLabel("Epochs").fill(epochs);
  await button("Train").click();
};
const movedTo = (least) => page.waitForFunction(
  (wanted) => Number(document.querySelectorAll(".far dd")[1]?.textContent.split(" of ")[0].replaceAll(",", "")) >= wanted,
  least,
);

await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "samples" }).waitFor();
await toStep(page, "train");
await page.locator("[data-digest]").waitFor();
const before = await digest();
await begin("1000", "5");
const exploded = { told: await page.getByRole("alert").textContent(), step: await shownSteps() };
await button("Train").waitFor();
await page.waitForFunction((wanted) => Number(document.querySelector("[data-steps]").textContent) === wanted, 0);
exploded.sameParameters = (await steps()) === 0;
await button("Start over").click();
await page.getByText("that of the image again").waitFor();
await page.waitForFunction((wanted) => document.querySelector("[data-digest]").textContent === wanted, before);

await begin("0.001", "10000");
await movedTo(50);
await button("Pause").click();
await button("Go on").waitFor();
await page.waitForFunction(() => Number(document.querySelector("[data-steps]").textContent.replaceAll(",", "")) >= 50);
const paused = [await steps()];
await page.waitForTimeout(400);
paused.push(await steps(), await shownSteps());
await button("Go on").click();
await movedTo(paused[0] + 20);
await button("Stop").click();
await page.getByText(/Stopped after/).first().waitFor();
const stopped = (await page.locator(".notices").textContent()).match(/Stopped after (\d+) steps: accuracy/)?.[1];
await page.waitForFunction((wanted) => Number(document.querySelector("[data-steps]").textContent.replaceAll(",", "")) === wanted, Number(stopped));

await begin("0.001", "10000");
await movedTo(20);
await open(accumulating);
const left = { alerts: await page.getByRole("alert").count(), status: await page.locator('.steps a[href="#train"] .status').textContent() };
await toStep(page, "train");
await begin("0.003", "1");
await page.getByText(/Trained after/).first().waitFor();
await page.waitForFunction(() => document.querySelector("[data-steps]").textContent !== "0"); // a moment later
const accumulated = { steps: await steps(), told: await page.locator(".notices").textContent() };

await open(inferring);
await toStep(page, "train");
const cannot = await page.locator(".missing").textContent();
await studio.end({ exploded, paused, stopped, left, accumulated, cannot });
