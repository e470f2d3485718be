// node board_page.mjs CHROMIUM TOOLS PORT: puts a board through the course from a page, and pulls its plug.
import { inPage } from "./chromium.mjs";

const [chromium, tools, port] = process.argv.slice(2);
const place = { chromium, tools, port, address: "scripts/serial/page.html" };

async function connected(page) {
  await page.waitForFunction(() => globalThis.parts);
  await page.click("button");
  await page.evaluate(() => asked);
}

const told = await inPage(place, async (page) => {
  await connected(page);
  const found = {};
  for (const part of ["training", "unplugging"]) found[part] = await page.evaluate(async (name) => parts[name](await asked), part);
  return { ...found, baudRate: await page.evaluate(() => mock.baudRate) };
});
const refused = {};
for (const [what, settings] of Object.entries({
  dismissed: { choose: "NotFoundError" }, denied: { choose: "SecurityError" }, taken: { open: "NetworkError" }, twice: { open: "InvalidStateError" },
})) {
  refused[what] = await inPage(place, async (page) => {
    await page.evaluate((wanted) => Object.assign(mock, wanted), settings);
    await connected(page);
    const error = await page.evaluate(async () => [(await asked).error, (await asked).text, (await asked).hint]);
    await page.evaluate(() => Object.assign(mock, { choose: "", open: "" }));
    await page.click("button"); // the page still works
    return { error, board: await page.evaluate(async () => (await asked).info().name) };
  });
}
refused.unsupported = await inPage({ ...place, serial: false }, async (page) => {
  await connected(page);
  return { error: await page.evaluate(async () => [(await asked).error, (await asked).text, (await asked).hint]) };
});
const script = await inPage({ ...place, address: "scripts/serial/script.html" }, async (page) => {
  await page.waitForFunction(() => globalThis.result);
  return page.evaluate(() => globalThis.result);
});
console.log(JSON.stringify({ ...told, refused, script }));
