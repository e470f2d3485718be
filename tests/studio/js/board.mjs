// Trains a board from the page by clicks, brings its state back, reads its sensor, and pulls its plug. VALUES: the TCP port
// of the board, epochs, percent that are held out, and whether pictures are taken.

import { plugIn } from "../../bindings/js/serial/chromium.mjs";
import { openExample, openStudio, shotsOf, toStep, until, values } from "./studio.mjs";

const [port, epochs, held, pictures] = values, lines = [];
const studio = await openStudio({ before: (page) => plugIn(page, port, lines) });
const { page } = studio;
const press = (name) => page.locator("main").getByRole("button", { name, exact: true }).click();
const said = (words) => page.locator(".notices").getByText(words).first().waitFor({ timeout: 60_000 });
const text = (place) => page.locator(place).first().textContent();
const rested = () => until(async () => (await page.locator("main progress").count()) === 0);
const picture = (name) => pictures && shotsOf(studio, `board-${name}`, [390, 1280, 2560]);

/** Returns both digests, once the page compares them so. */
async function compared(words) {
  await until(async () => (await text("[data-compared]")).includes(words));
  return text("[data-board-digest]");
}

await openExample(page);
await toStep(page, "board");
await picture("before");
await press("Connect a board");
await page.getByRole("heading", { name: "mps2-an385" }).waitFor();
await press("Send the model");
await said("mps2-an385 has digits-cnn.mote");
const begun = await compared("the same state");
await page.getByLabel("Epochs").fill(epochs);
await page.getByLabel("Learning rate").fill("0.01");
await page.getByLabel("Held out, %").fill(held);
await page.getByLabel("Shuffle in each epoch").uncheck();
await press("Train on the board");
await page.locator("main progress").first().waitFor();
if (pictures) await page.waitForTimeout(1500);
await picture("training");
await said("Trained on the board");
const accuracy = await text(".notices .notice");
const trained = await compared("differs");
const curve = await page.locator(".board .chart").getAttribute("aria-label");
await picture("trained");

await toStep(page, "train");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.getByRole("button", { name: "Train", exact: true }).waitFor();
await toStep(page, "board");
const alike = await compared("the same state");
await toStep(page, "train");
await page.getByRole("button", { name: "Start over" }).click();
await said("The state is that of the image again");
await toStep(page, "board");
const anew = await compared("differs");
await press("Bring it into the page");
await said("The page goes on from the board's state");
const brought = await compared("the same state");
await press("Start over");
await said("The board's model is as it was sent");
await press("Send the page's state");
await said("The board goes on from the page's state");
const sent = await compared("the same state");
await press("Update in the field");
await said("Updated");
await rested();
await press("Read it");
await said("Read what the board senses");
await press("Add to the page's data");
const added = await text(".notices .notice");
await rested();
await page.locator("summary", { hasText: "Type to the board" }).click();
await page.getByLabel("Command").fill("info");
await page.keyboard.press("Enter");
await until(async () => (await text(".console pre")).includes("profile") || (await text(".console pre")).includes("programs"));
const typed = await text(".console pre");
await page.evaluate(() => mock.unplug());
const lost = await page.getByRole("alert").textContent();
await page.getByRole("button", { name: "Connect it again" }).click();
await page.getByRole("heading", { name: "mps2-an385" }).waitFor();
await rested();
await press("Train on the board");
await page.getByText(/step [1-9]\d* of/).first().waitFor();
await press("Stop");
await said("Training: stopped");
await press("Disconnect");
await page.getByRole("button", { name: "Connect a board" }).waitFor();
await page.evaluate(() => (mock.choose = "NotFoundError"));
await press("Connect a board");
const refused = await page.getByRole("alert").textContent();
for (const line of lines) line.destroy();
await studio.end({ begun, accuracy, trained, curve, alike, anew, brought, sent, added, typed, lost, refused });
