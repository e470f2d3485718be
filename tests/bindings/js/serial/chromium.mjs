// A page in Chromium, whose serial port leads to the board at a TCP port.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Opens a page of the project, gives it to `work`, and closes it. A host "x.example" makes a page that is not secure. */
export async function inPage({ chromium, tools, port, address, host = "127.0.0.1", serial = true, context = {} }, work) {
  const { chromium: browsers } = createRequire(join(tools, "any.js"))("playwright-core");
  const server = createServer(async ({ url }, response) => {
    const path = join(ROOT, decodeURIComponent(new URL(url, "http://here").pathname));
    const data = await readFile(path).catch(() => undefined);
    response.writeHead(data ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(data);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1"] });
  const lines = [];
  try {
    const page = await (await browser.newContext(context)).newPage(), problems = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    if (host.endsWith(".example")) serial = false; // such a page is not secure, and has none by itself
    if (serial) await plugIn(page, port, lines);
    else await page.addInitScript(() => delete Navigator.prototype.serial);
    await page.goto(`http://${host}:${server.address().port}/${address}`);
    return { ...(await work(page)), problems };
  } finally {
    await browser.close();
    for (const line of lines) line.destroy(); // the emulator serves one at a time
    server.close();
  }
}

/** Gives a page a serial port that leads to a TCP port. lines: gets the connections, which end with the page's. */
export async function plugIn(page, port, lines) {
  await page.routeWebSocket("ws://board.test/", (socket) => lines.push(bridge(socket, port)));
  await page.addInitScript({ path: join(HERE, "mock.js") });
}

function bridge(socket, port) {
  const line = connect(Number(port), "127.0.0.1").setNoDelay(true);
  line.on("data", (bytes) => socket.send(bytes)).on("error", () => undefined);
  socket.onMessage((bytes) => line.write(bytes));
  socket.onClose(() => line.destroy());
  return line;
}
