// Opens the page in a folder of its site, ends the server, and goes on without one; then the server comes back with other
// versions of the page.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openExample, openStudio, root, toStep } from "./studio.mjs";

const FOLDER = "/some/where/";
/** What the server has in place of the built files. */
let changed = {}, gone = false;

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

/** Has the server offer another version, in which main.css gives --version. A torn one lacks what its list promises. */
async function publish(version, torn = false) {
  const [css, worker] = await Promise.all(["main.css", "offline.js"].map((name) => readFile(join(root, name), "utf8")));
  const next = `${css}:root{--version:${version}}`;
  const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
  changed = { "offline.js": worker.replace(hash(css), hash(next)), "main.css": torn ? `${next} ` : next };
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
gone = true;
await page.reload();
await openExample(page);
const offline = await page.locator(".steps [aria-current] .status").textContent();
const fetchesNothing = await page.evaluate(() => fetch("no-such-file").then(() => false, () => true));
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
const loaded = page.waitForEvent("load");
await page.getByRole("button", { name: "Reload" }).click();
await loaded;
const second = await style(page);
gone = true;
await page.reload();
const secondOffline = await style(page);
const kept = await page.evaluate(async () => (await (await caches.open("gradmote-studio-files")).keys()).length);
await studio.end({ installable, asked, offline, fetchesNothing, torn, offered, trained, untouched, refused, second, secondOffline, kept });
