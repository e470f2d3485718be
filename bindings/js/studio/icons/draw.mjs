// Draws the pixel icons from icon.svg: node draw.mjs CHROMIUM TOOLS [OUT]. The system cuts its own shape out of a
// maskable icon, and shows at least the middle four fifths, so the drawing is smaller there.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const [chromium, tools, out = HERE] = process.argv.slice(2);
const { chromium: browsers } = createRequire(join(resolve(tools), "any.js"))("playwright-core");
/** The file -> its size, and the share of it that the drawing takes. */
const ICONS = {
  "icon-180.png": [180, 1],
  "icon-192.png": [192, 1],
  "icon-512.png": [512, 1],
  "maskable-192.png": [192, 0.8],
  "maskable-512.png": [512, 0.8],
};
/** The ground under a maskable drawing: the colour at the edge of icon.svg. */
const GROUND = "#2b4fc4";

const drawing = `data:image/svg+xml;base64,${readFileSync(join(HERE, "icon.svg")).toString("base64")}`;
const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"] });
mkdirSync(out, { recursive: true });
for (const [name, [size, part]] of Object.entries(ICONS)) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const ground = part < 1 ? GROUND : "transparent";
  await page.setContent(
    `<body style="margin:0;display:grid;place-items:center;height:100vh;background:${ground}">` +
      `<img src="${drawing}" width="${size * part}" height="${size * part}">`,
  );
  await page.screenshot({ path: join(out, name), omitBackground: true });
  await page.close();
}
await browser.close();
