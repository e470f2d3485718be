// node element.mjs CHROMIUM TOOLS PORT [FOLDER]: uses <gradmote-board> as a person does; pictures go to FOLDER.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createRequire } from "node:module";
import { inPage } from "./chromium.mjs";

const [chromium, tools, port, folder] = process.argv.slice(2);
const place = { chromium, tools, port, address: "scripts/serial/element.html" };

async function shot(page, name) {
  if (!folder) return;
  for (const [width, height, scheme] of [[390, 844, "light"], [1280, 800, "dark"]]) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`) });
  }
}

/** What axe-core finds against WCAG 2.1 A and AA, light and dark, on a narrow window and a wide one. */
const broken = [];

async function judge(page, name) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.addScriptTag({ path: createRequire(join(tools, "any.js")).resolve("axe-core/axe.min.js") });
  for (const [width, colorScheme] of [[320, "light"], [1280, "dark"]]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(250); // the window has risen
    const { violations, wide } = await page.evaluate(async () => ({
      violations: (await axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })).violations,
      wide: document.documentElement.scrollWidth > innerWidth,
    }));
    broken.push(...violations.map(({ id, nodes }) => `${name}, ${colorScheme}: ${id}: ${nodes[0].html}`), ...(wide ? [`${name} is wider than ${width}`] : []));
  }
}

/** Presses the button by its keyboard, and returns the window. */
async function opened(page) {
  await page.waitForFunction(() => globalThis.ready);
  await page.getByRole("button", { name: "Connect a board" }).focus();
  await page.keyboard.press("Enter");
  return page.getByRole("dialog");
}

const press = (dialog, name) => dialog.getByRole("button", { name }).click();
const said = (dialog, words) => dialog.getByText(words).first().waitFor();
const states = (page) => page.evaluate(() => told.filter(([state], i) => state !== told[i - 1]?.[0]));

const used = await inPage(place, async (page) => {
  await shot(page, "button");
  await judge(page, "button");
  const dialog = await opened(page);
  await dialog.getByRole("heading", { name: "mps2-an385" }).waitFor();
  await shot(page, "bare");
  await judge(page, "bare board");
  await press(dialog, "Send Digits 1.0");
  await said(dialog, "The board has the model.");
  await press(dialog, "Train for 8 epochs");
  await dialog.getByRole("progressbar").waitFor();
  await said(dialog, /Epoch [2-8] of 8/);
  await shot(page, "training");
  await said(dialog, /Trained: the loss of the last epoch is \d/);
  await shot(page, "trained");
  await judge(page, "trained board");
  const downloading = page.waitForEvent("download");
  await press(dialog, "Save");
  const file = await readFile(await (await downloading).path());
  await said(dialog, "Saved on the board");
  const kept = await page.evaluate(() => checkpoint.length);
  await press(dialog, "Test");
  await said(dialog, /Loss .* % right/);
  const tested = await dialog.getByText(/% right/).first().textContent();
  await dialog.getByRole("spinbutton", { name: "Class" }).fill("4");
  await press(dialog, "Learn what it senses");
  await said(dialog, "Learned one more of class 4.");
  await press(dialog, "Score");
  await said(dialog, /It recognizes \d of its 1 samples/);
  await press(dialog, "Train on them");
  await said(dialog, /Step \d+ of 100/);
  await press(dialog, "Stop");
  await said(dialog, "Stopped.");
  await press(dialog, "Forget what it learned");
  await press(dialog, "Forget it");
  await said(dialog, "The model is as it was sent.");
  await dialog.getByLabel("Load a checkpoint").setInputFiles({ name: "mine.gmck", mimeType: "", buffer: file });
  await said(dialog, "The board goes on from mine.gmck.");
  await dialog.getByLabel("Load a checkpoint").setInputFiles({ name: "no.gmck", mimeType: "", buffer: Buffer.from("nothing") });
  const refused = await dialog.getByRole("alert").textContent();
  await press(dialog, "Back");
  await press(dialog, "Update, and keep what it learned");
  await said(dialog, "The board has the model.");
  await page.keyboard.press("Escape");
  const closed = await dialog.isHidden(), connected = await page.evaluate(() => document.querySelector("gradmote-board").board !== null);
  const focused = await page.evaluate(() => document.activeElement.localName);
  await opened(page);
  await page.evaluate(() => mock.unplug());
  const lost = await dialog.getByRole("alert").textContent();
  await shot(page, "lost");
  await press(dialog, "Choose a port");
  await dialog.getByRole("heading", { name: "mps2-an385" }).waitFor();
  await press(dialog, "Disconnect");
  await page.waitForFunction(() => document.querySelector("gradmote-board").state === "idle");
  return { digest: createHash("sha256").update(file).digest("hex"), size: file.length === kept, tested, refused, closed, connected, focused, lost, states: await states(page) };
});

const refusals = {};
for (const [what, settings] of Object.entries({ dismissed: { choose: "NotFoundError" }, denied: { choose: "SecurityError" } })) {
  refusals[what] = await inPage(place, async (page) => {
    await page.evaluate((wanted) => Object.assign(mock, wanted), settings);
    const dialog = await opened(page), text = await dialog.getByRole("alert").textContent();
    await shot(page, what);
    await judge(page, what);
    const flashing = await dialog.getByRole("link").allTextContents();
    await page.evaluate(() => Object.assign(mock, { choose: "" }));
    await press(dialog, "Choose a port");
    await dialog.getByRole("heading", { name: "mps2-an385" }).waitFor();
    return { text, flashing, states: await states(page) };
  });
}
const unsupported = await inPage({ ...place, serial: false }, async (page) => {
  await page.waitForFunction(() => globalThis.ready);
  const element = page.locator("gradmote-board");
  return { text: (await element.innerText()).trim(), marked: await element.evaluate((it) => it.hasAttribute("install-unsupported")), buttons: await page.getByRole("button").count() };
});
const insecure = await inPage({ ...place, host: "board.example" }, async (page) => {
  await page.waitForFunction(() => globalThis.ready);
  return { text: await page.getByText("Boards connect only").textContent() };
});
console.log(JSON.stringify({ used, refusals, unsupported, insecure, broken }));
