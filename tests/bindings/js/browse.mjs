// node browse.mjs CHROMIUM TOOLS ADDRESS...: opens pages of the project in Chromium, and prints what each leaves in
// globalThis.result as JSON, with the errors of the page.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { federation } from "./federated.mjs";

const [chromium, tools, ...pages] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const root = fileURLToPath(new URL("..", import.meta.url));

const federate = federation();
const server = createServer(async (request, response) => {
  const { url } = request;
  if (url === "/federated") return federate(request, response);
  const path = join(root, decodeURIComponent(new URL(url, "http://here").pathname));
  const data = await readFile(path).catch(() => undefined);
  response.writeHead(data ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(data);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

/**
 * Returns what the page leaves, asked again and again from here: a page whose policy forbids eval cannot wait itself.
 * One that reloads itself has no answer for a moment.
 */
async function resultOf(page) {
  for (const end = Date.now() + 100_000; Date.now() < end; await new Promise((later) => setTimeout(later, 50))) {
    const found = await page.evaluate(() => globalThis.result).catch(() => undefined);
    if (found?.digest || found?.error) return found;
  }
  return { error: "the page leaves no result in 100 seconds" };
}

const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const results = {};
for (const address of pages) {
  const page = await browser.newPage(), problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/${address}`);
  results[address] = { ...(await resultOf(page)), problems };
  await page.close();
}
await browser.close();
server.close();
console.log(JSON.stringify(results));
