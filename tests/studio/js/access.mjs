// Looks at every panel, empty, with a model and data, trained, with files, taught by the camera, and after an error.

import { openExample, openStudio, toStep } from "./studio.mjs";
import { BRIEFLY, Rules } from "./rules.mjs";
import { walkThrough } from "./walk.mjs";

const STEPS = ["model", "data", "train", "teach", "board"];
const TABLE = "width,height,weight,kind\n1.5,2,3,cat\n2.5,1,0,dog\n0.5,,4,cat\n1,2,3,dog\n";
const CAMERA = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

let rules;
const studio = await openStudio({
  args: CAMERA,
  context: { permissions: ["camera"] },
  before: (page) => (rules = new Rules(page)),
});
const { page } = studio;

/** Gives the panel that shows a file with this text. */
async function give(name, text) {
  const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(text) };
  await page.locator("main input[type=file]").first().setInputFiles(file);
}

async function lookAtAll(state, ruled) {
  for (const step of STEPS) {
    await toStep(page, step);
    await page.getByRole("heading", { level: 2 }).first().waitFor();
    await rules.look(`${step}, ${state}`, ruled);
  }
}

await page.locator("[data-example]").first().waitFor();
await lookAtAll("empty", BRIEFLY);
await openExample(page);
await lookAtAll("open");

await toStep(page, "train");
await page.getByLabel("Epochs").fill("1");
await page.getByRole("button", { name: "Train", exact: true }).click();
await page.locator(".confusion").waitFor();
await rules.look("train, trained");
const walks = { trained: await walkThrough(page) };

await toStep(page, "teach");
await page.getByText("Camera", { exact: true }).click();
await page.getByRole("button", { name: "Start the camera" }).click();
await page.locator(".seen canvas").waitFor();
const hold = page.getByRole("button", { name: "Hold to record" }).first();
await hold.focus();
await page.keyboard.press("Space");
await page.locator(".class .recorded li").nth(3).waitFor();
await page.keyboard.press("Space");
await rules.look("teach, recorded");
walks.recorded = await walkThrough(page);

await toStep(page, "data");
await give("table.csv", TABLE);
await page.locator(".classes").waitFor();
await rules.look("data, a table that does not fit");
walks.table = await walkThrough(page);
await toStep(page, "model");
await give("broken.mote", "no image");
await page.getByRole("alert").getByText("GM_ERR").waitFor();
await rules.look("model, refused");
walks.refused = await walkThrough(page);
await studio.end({ ...rules.told(), walks });
