// Looks at the board's panel with a board: connected, with the model, and trained. VALUES: the TCP port of the board.

import { plugIn } from "../../bindings/js/serial/chromium.mjs";
import { openExample, openStudio, toStep, values } from "./studio.mjs";
import { Rules } from "./rules.mjs";
import { walkThrough } from "./walk.mjs";

const [port] = values, lines = [];
let rules;
const studio = await openStudio({
  before: (page) => {
    rules = new Rules(page);
    return plugIn(page, port, lines);
  },
});
const { page } = studio;
const press = (name) => page.locator("main").getByRole("button", { name, exact: true }).click();
const said = (words) => page.locator(".notices").getByText(words).first().waitFor({ timeout: 60_000 });

await openExample(page);
await toStep(page, "board");
await press("Connect a board");
await page.getByRole("heading", { name: "mps2-an385" }).waitFor();
await rules.look("board, connected");
await press("Send the model");
await said("mps2-an385 has digits-cnn.mote");
await page.getByLabel("Epochs").fill("1");
await page.getByLabel("Held out, %").fill("90");
await press("Train on the board");
await said("Trained on the board");
await page.locator("summary", { hasText: "Type to the board" }).click();
await rules.look("board, trained");
const told = rules.told(), walks = { board: await walkThrough(page) };
for (const line of lines) line.destroy();
await studio.end({ ...told, walks });
