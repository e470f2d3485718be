// What scripts that click through the page share. A script begins with
//
//   import { openStudio } from "./studio.mjs";
//   const studio = await openStudio();
//   await studio.page.getByRole("button", { name: "Open" }).click();
//   await studio.shot("opened");
//   await studio.end({ found: 1 });
//
// and is run by tests/studio/page.py: node SCRIPT CHROMIUM TOOLS PAGE SCREENS ARGUMENTS...

import { createServer } from "node:http";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";

export const [chromium, tools, root, screens, ...values] = process.argv.slice(2);
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves a folder on a free port. `other` answers addresses of its own: it returns bytes, undefined to leave them to the
 * folder, or null to break the connection off.
 */
export async function serve(folder = root, other = () => undefined) {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, "http://here");
    const path = join(folder, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    const given = await other(pathname);
    if (given === null) return void response.destroy();
    const data = given ?? (await readFile(path).catch(() => undefined));
    response.writeHead(data ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(data);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/**
 * Opens the built page in Chromium, without its service worker. options: `context` for browser.newContext() (viewport, colorScheme, ...), `args` for
 * Chromium, `before(page)` before the page is loaded, `hash` of the step, `other` as serve() has it.
 */
export async function openStudio({ context = {}, args = [], before, hash = "", other } = {}) {
  const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
  const server = await serve(root, other);
  const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox", ...args] });
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block", ...context });
  const page = await opened.newPage(), problems = [];
  page.setDefaultTimeout(20_000);
  page.waitForFunction = (condition, argument) => until(() => page.evaluate(condition, argument)); // CSP forbids its own
  page.on("pageerror", (error) => problems.push(String(error)));
  await before?.(page);
  await page.goto(`${server.address}${hash}`);
  const shot = (name, options = {}) => {
    mkdirSync(screens, { recursive: true });
    return page.screenshot({ path: join(screens, `${name}.png`), ...options });
  };
  /** Prints what was found, with the errors of the page, and ends. */
  const end = async (found) => {
    await browser.close();
    server.close();
    console.log(JSON.stringify({ ...found, problems }));
  };
  return { browser, context: opened, page, problems, server, shot, end };
}

/** Waits until a condition holds, and returns what it returned. */
export async function until(condition, seconds = 20) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise((go) => setTimeout(go, 50))) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`not within ${seconds} s: ${condition}`);
}

/** Takes the page's picture in the widths and colours that it is made for: NAME-WIDTH-COLOUR.png. */
export async function shotsOf(studio, name, widths = [390, 768, 1280, 2560], colours = ["light", "dark"]) {
  for (const width of widths) {
    await studio.page.setViewportSize({ width, height: width < 500 ? 844 : Math.min(1440, Math.round(width * 0.625)) });
    for (const colour of colours) {
      await studio.page.emulateMedia({ colorScheme: colour });
      await studio.shot(`${name}-${width}-${colour}`, { fullPage: true });
    }
  }
}

/** Goes to a step ("model", "data", "train", "teach", "board") by its link. */
export async function toStep(page, step) {
  await page.locator(`.steps a[href="#${step}"]`).click();
  await page.locator(`.steps a[href="#${step}"][aria-current="page"]`).waitFor();
}

/** Opens one of the examples that come with the page, by its name. */
export async function openExample(page, name = "digits-cnn") {
  await toStep(page, "model");
  await page.locator(`[data-example="${name}"]`).click();
  await page.getByText(`${name}.mote`).first().waitFor();
}
