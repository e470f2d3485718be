// Drops an ONNX file, compiles it as it is and by other options, trains it, and exports it. VALUES: the folder of
// Pyodide, the ONNX file, and the folder that gets what the page saves.

import { join } from "node:path";
import { openExample, openStudio, toStep, values } from "./studio.mjs";
import { pyodideFrom } from "./pyodide.mjs";

const [pyodide, onnx, out] = values;
const studio = await openStudio({ other: pyodideFrom(pyodide) });
const { page } = studio;
const save = async (button, name) => {
  const saving = page.waitForEvent("download", { timeout: 60_000 });
  await page.getByRole("button", { name: button, exact: true }).click();
  await (await saving).saveAs(join(out, name));
};
await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "samples" }).waitFor();
await page.locator("main input[type=file]").first().setInputFiles(onnx);
await page.getByText(/Compiled own\.onnx/).waitFor({ timeout: 60_000 });
await save("Save the image", "first.mote");
const blocks = await page.locator("[data-block]").count();
await page.getByLabel("What trains").fill("head");
await page.getByLabel("Batch").fill("4");
await page.getByLabel("Optimizer").selectOption("sgd");
await page.getByRole("button", { name: "Compile own.onnx" }).click();
await page.getByText("Scheme: head").waitFor({ timeout: 60_000 });
await save("Save the image", "second.mote");
await page.getByLabel("What trains").fill("nonsense");
await page.getByRole("button", { name: "Compile own.onnx" }).click();
const refused = await page.getByRole("alert").textContent({ timeout: 60_000 });
await toStep(page, "train");
await page.getByLabel("Epochs").fill("1");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.getByText(/Trained after/).first().waitFor();
await save("Save checkpoint", "learned.gmck");
await save("Export ONNX", "learned.onnx");
await toStep(page, "model");
await page.locator("main input[type=file]").first().setInputFiles(join(out, "first.mote"));
await page.getByRole("button", { name: "Load the compiler and analyze" }).click();
await page.locator(".map").waitFor({ timeout: 60_000 });
const analyzed = await page.locator("[data-block]").count();
await studio.end({ blocks, refused, analyzed });
