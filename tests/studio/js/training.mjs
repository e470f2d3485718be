// Opens an example, trains it, pauses and goes on, and returns what the page shows; then keeps the state, opens the
// page again, and reopens it. VALUES: epochs, and whether the order is drawn.

import { openExample, openStudio, shotsOf, toStep, values } from "./studio.mjs";

const [epochs, pictures] = values;
const studio = await openStudio();
const { page } = studio;
const digest = () => page.locator("[data-digest]").textContent();
const idle = () => page.getByRole("button", { name: "Train", exact: true }).waitFor();
const field = (label) => page.getByLabel(label);

async function train(drawn) {
  await field("Epochs").fill(epochs);
  await field("Learning rate").fill("0.01");
  if ((await field("Shuffle in each epoch").isChecked()) !== drawn) await field("Shuffle in each epoch").click();
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await idle();
  return { digest: await digest(), steps: await page.locator("[data-steps]").textContent() };
}

await openExample(page);
await toStep(page, "train");
if (pictures) await shotsOf(studio, "train-before", [390, 1280], ["light"]);
const begun = await digest();
const ordered = await train(false);
const told = await page.locator(".notices").textContent();
const curves = await page.locator(".chart").evaluateAll((charts) => charts.map((chart) => chart.getAttribute("aria-label")));
const moved = await page.locator(".chart").first().evaluate((chart) => ({
  points: Number(chart.dataset.points),
  steps: Number(/over (\d+) steps/.exec(chart.getAttribute("aria-label"))?.[1]),
}));
const confusion = await page.locator(".confusion tbody tr").count();
if (pictures) await shotsOf(studio, "train-after");
await page.getByRole("button", { name: "Keep in this browser" }).click();
await page.getByText("Kept in this browser").waitFor();
await page.getByRole("button", { name: "Start over" }).click();
await page.getByText("The state is that of the image again").waitFor();
const anew = await digest();
const drawn = await train(true);

await page.reload();
await toStep(page, "model");
await page.locator("[data-last]").click();
await page.getByText("Its state is the one that was kept.").waitFor();
const again = await page.locator(".figures dd").first().textContent();
await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "samples" }).waitFor();
await toStep(page, "train");
await page.getByRole("button", { name: "Reopen what was kept" }).click();
await page.getByText("The state is the one that was kept").waitFor();
const reopened = await digest();
const saving = page.waitForEvent("download");
await page.getByRole("button", { name: "Save checkpoint" }).click();
const saved = await (await saving).path();
await page.getByRole("button", { name: "Start over" }).click();
await page.getByText("The state is that of the image again").waitFor();
await page.locator("[data-checkpoint]").setInputFiles(saved);
await page.getByText(/The state is that of (?!the image)/).waitFor();
const loaded = await digest();
await page.locator("[data-checkpoint]").setInputFiles({ name: "bad.gmck", mimeType: "", buffer: Buffer.from("none") });
const refused = await page.getByRole("alert").textContent();
await studio.end({ begun, ordered, told, moved, curves, confusion, anew, drawn, again, reopened, loaded, refused, kept: await digest() });
