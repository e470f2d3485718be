// Opens the page in a folder of its site, ends the server, and goes on without one; then the server comes back with other
// versions of the page.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openExample, openStudio, root, toStep } from "./studio.mjs";

const FOLDER = "/some/where/";
/** A stand-in for the compiler's worker: it loads the addresses that it gets. */
const LOADER = `onmessage = async ({ data }) => {
  const text = (address) => fetch(address).then((answer) => (answer.ok ? answer.text() : String(answer.status)), () => "none");
  postMessage(await Promise.all(data.map(text)));
};`;
/** What the server sends instead of the built files. */
let changed = { "loader.js": LOADER, "own.whl": "first" }, gone = false;

/** Pyodide's public address. */
const abroad = createServer((_, response) => response.writeHead(200, { "access-control-allow-origin": "*" }).end("Python"));
await new Promise((listening) => abroad.listen(0, "127.0.0.1", listening));
const base = `http://127.0.0.1:${abroad.address().port}/v1/`;
changed["pyodide.json"] = JSON.stringify({ base, wheels: ["own.whl"] });

/** Answers below FOLDER, and nothing elsewhere. */
function answer(path) {
  if (gone || !path.startsWith(FOLDER)) return null;
  const name = path.slice(FOLDER.length) || "index.html";
  return changed[name] ?? readFile(join(root, name)).catch(() => undefined);
}

const studio = await openStudio({
  context: { serviceWorkers: "allow" },
  hash: FOLDER.slice(1),
  other: answer,
});
const { page, context } = studio;
const controlled = (page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);
const style = (page) => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--version"));
const update = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    return registration.update().then(() => true, () => false);
  });

/** Loads what the compiler needs, in a worker, as it does. */
function load() {
  const addresses = [`${base}pyodide.mjs`, page.url() + "own.whl", page.url() + "never.whl"];
  const work = (addresses) =>
    new Promise((done) => {
      const worker = new Worker("loader.js");
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage(["pyodide.json", ...addresses]);
    });
  return page.evaluate(work, addresses).then(([, ...texts]) => texts);
}

/** Has the server offer another version, in which main.css gives --version. A torn one lacks what its list promises. */
async function publish(version, torn = false) {
  const [css, worker] = await Promise.all(["main.css", "offline.js"].map((name) => readFile(join(root, name), "utf8")));
  const next = `${css}:root{--version:${version}}`;
  const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
  changed = { ...changed, "offline.js": worker.replace(hash(css), hash(next)), "main.css": torn ? `${next} ` : next };
}

await controlled(page);
const devtools = await context.newCDPSession(page);
const { errors: manifest } = await devtools.send("Page.getAppManifest");
const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
const installable = [...manifest, ...installabilityErrors.map(({ errorId }) => errorId)];
await page.evaluate(() => dispatchEvent(Object.assign(new Event("beforeinstallprompt"), { prompt: async () => (globalThis.asked = true) })));
await page.getByRole("button", { name: "Install" }).click();
await page.getByRole("button", { name: "Install" }).waitFor({ state: "detached" });
const asked = await page.evaluate(() => globalThis.asked);
const loaded = [await load()];
changed["own.whl"] = "second";
loaded.push(await load());
gone = true;
abroad.close();
abroad.closeAllConnections();
loaded.push(await load());
await page.reload();
await openExample(page);
const offline = await page.locator(".steps [aria-current] .status").textContent();
await studio.shot("offline");

gone = false;
await publish("torn", true);
await update(page);
await page.waitForFunction(async () => !(await navigator.serviceWorker.getRegistration()).installing);
await page.reload();
const torn = await style(page);

await openExample(page);
await toStep(page, "train");
await page.getByLabel("Epochs").fill("1000");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.getByRole("button", { name: "Stop" }).waitFor();
await publish("second");
changed["pyodide.json"] = JSON.stringify({ base: "https://elsewhere.invalid/", wheels: ["own.whl"] });
await load();
await update(page);
await page.getByText("It waits for the training.").waitFor();
const offered = await page.getByRole("button", { name: "Reload" }).count();
await page.getByRole("button", { name: "Stop" }).click();
await page.getByText("Save what was learned, then reload.").waitFor();
await page.waitForFunction(() => document.querySelector("[data-steps]").textContent !== "0");
const trained = await page.locator("[data-steps]").textContent();
const untouched = await style(page);
await studio.shot("new-version");
const other = await context.newPage();
await other.goto(page.url());
await page.getByRole("button", { name: "Reload" }).click();
const refused = await page.getByRole("status").getByText("open in another tab").textContent();
await other.close();
const reloaded = page.waitForEvent("load");
await page.getByRole("button", { name: "Reload" }).click();
await reloaded;
const second = await style(page);
gone = true;
await page.reload();
const secondOffline = await style(page);
const kept = await page.evaluate(async () => (await (await caches.open("gradmote-studio-files")).keys()).length);
const left = await page.evaluate(async () => (await (await caches.open("gradmote-studio-compiler")).keys()).map(({ url }) => url).sort());
await studio.end({ installable, asked, loaded, offline, torn, left, offered, trained, untouched, refused, second, secondOffline, kept });
