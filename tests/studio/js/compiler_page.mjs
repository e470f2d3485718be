// The compiler as the page's user meets it: stopped while it loads, without Pyodide, with a release that lacks a
// package, and tried again. VALUES: the folder of Pyodide's npm package, an ONNX file, and the whole release if there
// is one.

import { openStudio, values } from "./studio.mjs";
import { pyodideFrom } from "./pyodide.mjs";

const [core, onnx, whole] = values;
let answer = async (path) => (path.startsWith("/pyodide/") ? new Promise(() => {}) : undefined);
const from = pyodideFrom(core), settings = (path) => path === "/pyodide.json" && from(path);
const studio = await openStudio({ other: async (path) => (await settings(path)) || answer(path) });
const { page } = studio;
const alert = async () => (await page.getByRole("alert").textContent()).replace("Dismiss", "");
const drop = () => page.locator("main input[type=file]").first().setInputFiles(onnx);
const dismiss = () => page.getByRole("button", { name: "Dismiss" }).click();
const state = () => page.locator("html").getAttribute("data-compiler");

await drop();
await page.getByText("Loading Python").waitFor();
await page.getByRole("button", { name: "Stop" }).click();
const stopped = { alert: await alert(), state: await state() };
await dismiss();

answer = async (path) => (path.startsWith("/pyodide/") ? null : undefined);
await drop();
const unreachable = { alert: await alert(), state: await state() };
await dismiss();

answer = from;
await page.getByRole("button", { name: /^Compile / }).click();
const lacking = { alert: await alert(), state: await state() };
await dismiss();
await page.locator('[data-example="digits-mlp"]').click();
await page.getByText("digits-mlp.mote").first().waitFor();
const works = await page.locator(".steps [aria-current] .status").textContent();

let again = "";
if (whole) {
  answer = pyodideFrom(whole);
  await drop();
  await page.getByText(/^Compiled .* bytes/).first().waitFor({ timeout: 120_000 });
  again = await state();
}
await studio.end({ stopped, unreachable, lacking, works, again });
