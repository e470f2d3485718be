// Trains a board whose numerics are fused, then the page in the same way, and returns what the page says of their
// states. VALUES: the TCP port of the board.

import { plugIn } from "../../bindings/js/serial/chromium.mjs";
import { openExample, openStudio, toStep, until, values } from "./studio.mjs";

const [port] = values, lines = [];
const studio = await openStudio({ before: (page) => plugIn(page, port, lines) });
const { page } = studio;
const press = (name) => page.locator("main").getByRole("button", { name, exact: true }).click();
const said = (words) => page.locator(".notices").getByText(words).first().waitFor({ timeout: 60_000 });
const digest = () => page.locator("[data-board-digest]").textContent();

await openExample(page);
await toStep(page, "board");
await press("Connect a board");
await press("Send model and state");
await said("goes on from the page's state");
const told = await page.locator(".device").textContent();
const begun = await page.locator("[data-compared]").textContent();
await page.getByLabel("Epochs").fill("1");
await page.getByLabel("Held out, %").fill("90");
await press("Train on the board");
await said("Trained on the board");
const trained = await digest();
await toStep(page, "train");
await press("Train");
await said("Trained after");
await toStep(page, "board");
const compared = await until(async () => {
  const words = await page.locator("[data-compared]").textContent();
  return words.includes("differs") && words;
});
await press("Bring it into the page");
await said("The page goes on from the board's state");
const brought = await page.locator("[data-compared]").textContent();
for (const line of lines) line.destroy();
await studio.end({ told, begun, compared, brought, kept: (await digest().catch(() => trained)) === trained });
