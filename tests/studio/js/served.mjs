// Serves the page as users do, ends the server, and goes on without it: served.mjs ... PYTHON ONNX [PYODIDE]. With a folder
// of Pyodide the model is compiled in both, else it is refused without the server, since nothing was loaded.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { openExample, openStudio, toStep, values } from "./studio.mjs";

const [python, onnx, pyodide] = values;
const given = pyodide ? ["--pyodide", pyodide] : [];
const server = spawn(python, ["-m", "gradmote", "studio", "--json", "--port", "0", ...given], { stdio: ["ignore", "pipe", "inherit"] });
const [told] = await Promise.race([
  new Promise((done) => createInterface(server.stdout).once("line", (line) => done([line]))),
  new Promise((_, failed) => server.once("exit", (status) => failed(new Error(`the server ended with ${status}`)))),
]);
const { address } = JSON.parse(told);
const studio = await openStudio({ context: { serviceWorkers: "allow" } });
const { page } = studio;
const refused = [];
page.on("console", (message) => message.text().includes("Content Security Policy") && refused.push(message.text()));

/** Trains the example for one epoch, and returns the SHA-256 of its state. */
async function train() {
  await openExample(page);
  await toStep(page, "train");
  await page.getByLabel("Epochs").fill("1");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await page.getByRole("button", { name: "Train", exact: true }).waitFor();
  return digest();
}

/** Returns the SHA-256 of the state. */
const digest = () => page.locator("[data-digest]").textContent();

/** Gives the page the model to compile; returns its first state, or why it was refused. */
async function compile() {
  await toStep(page, "model");
  await page.locator("main input[type=file]").first().setInputFiles(onnx);
  const refusal = page.getByRole("alert"), opened = page.locator(".steps [aria-current] .status", { hasText: "given" });
  await refusal.or(opened).first().waitFor({ timeout: 60_000 });
  if (await refusal.count()) return refusal.textContent();
  await toStep(page, "train");
  return digest();
}

const headers = (await page.goto(address)).headers();
await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
const online = { trained: await train(), compiled: pyodide ? await compile() : "" };
server.kill("SIGINT");
const status = await new Promise((done) => server.once("exit", done));
await page.goto(address);
const offline = { trained: await train(), compiled: await compile() };
await openExample(page, "digits-mlp");
const after = await page.locator(".steps [aria-current] .status").textContent();
await studio.end({ status, online, offline, after, refused, headers });
