// Opens an example and looks at its memory map by mouse, keys and touch; then a .mote that comes without a report.

import { openExample, openStudio, values } from "./studio.mjs";

const [image] = values;
const studio = await openStudio({ context: { hasTouch: true } });
const { page } = studio;
await openExample(page);
const told = () => page.locator(".told").textContent();
const card = (name) => page.getByRole("region", { name, exact: true });
const rows = (name) => page.getByRole("region", { name, exact: true }).locator("tbody tr").evaluateAll((all) =>
  all.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
);
await card("Boards").first().waitFor();
const blocks = await page.locator("[data-block]").evaluateAll((all) => all.map((block) => block.dataset.block));
await page.locator('[data-block="moments"]').hover();
const hovered = await told();
await page.locator(".map svg").focus();
await page.keyboard.press("Home");
const first = await told();
await page.keyboard.press("ArrowRight");
await page.keyboard.press("ArrowRight");
const third = await told();
await page.keyboard.press("End");
const last = await told();
await page.locator('[data-block="inputs"]').tap();
const tapped = await told();
const figures = await page.locator(".figures dd").allTextContents();
const boards = await rows("Boards"), layers = await rows("Layers"), arena = await rows("Arena");
await page.getByLabel("Program").selectOption("infer");
const infer = await page.locator("[data-block]").count();

await page.locator("main input[type=file]").first().setInputFiles(image);
await page.getByText("own.mote").first().waitFor();
const alone = { tensors: await rows("Inputs, labels and outputs"), maps: await page.locator(".map").count() };
alone.says = await card("Report").textContent();
await page.locator("main input[type=file]").first().setInputFiles({ name: "notes.txt", mimeType: "", buffer: Buffer.from("x") });
const refused = await page.getByRole("alert").textContent();
await studio.end({ blocks, hovered, first, third, last, tapped, figures, boards, layers, arena, infer, alone, refused });
