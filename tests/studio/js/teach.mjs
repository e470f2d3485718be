// teach.mjs IMAGE FOLDER PART: teaches three classes with drawings, then from files and the camera, and returns what the
// panel shows.
// IMAGE is a model of 8 x 8 pixels, FOLDER has pictures, and the PART "drawn" leaves out what comes after drawing.

import { join } from "node:path";
import { openExample, openStudio, shotsOf, toStep, values } from "./studio.mjs";

const [image, folder, part] = values;
const ARGUMENTS = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
/** Strokes over the pad, from 0 to 1. */
const SHAPES = {
  line: (shift) => [[[0.5 + shift, 0.1], [0.5 + shift, 0.9]]],
  bar: (shift) => [[[0.1, 0.5 + shift], [0.9, 0.5 + shift]]],
  cross: (shift) => [[[0.1 + shift, 0.1], [0.9, 0.9 - shift]], [[0.9, 0.1 + shift], [0.1 + shift, 0.9]]],
};
const studio = await openStudio({ args: ARGUMENTS, context: { permissions: ["camera"] } });
const { page } = studio;

async function openModel() {
  await toStep(page, "model");
  await page.locator("main input[type=file]").first().setInputFiles(image);
  await page.locator(".steps [aria-current] .status", { hasText: ".mote" }).waitFor();
  await toStep(page, "teach");
  await page.locator(".class").nth(2).waitFor();
}

async function draw(shape, shift) {
  const pad = page.locator("canvas.pad");
  await pad.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await pad.boundingBox();
  for (const [first, ...others] of SHAPES[shape](shift)) {
    await page.mouse.move(x + first[0] * width, y + first[1] * height);
    await page.mouse.down();
    for (const [across, down] of others) await page.mouse.move(x + across * width, y + down * height, { steps: 8 });
    await page.mouse.up();
  }
}

const lesson = (number) => page.locator(".class").nth(number);
const counts = async () => (await page.locator(".class .count").allTextContents()).map((text) => text.trim());
const bars = async () => (await page.locator(".says td.n").allTextContents()).map((text) => parseInt(text, 10));
const status = () => page.locator(".course progress");

async function train() {
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await page.locator(".count", { hasText: "known" }).first().waitFor();
  await status().waitFor({ state: "detached" });
}

/** Waits until the browser keeps classes with these counts of samples: the page does that a moment after a change. */
async function keptAs(shown) {
  const wanted = shown.map((text) => parseInt(text, 10)).join();
  await page.waitForFunction(async (wanted) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("gradmote");
    for await (const [name, handle] of folder.entries()) {
      if (!name.startsWith("lessons-")) continue;
      const data = await (await handle.getFile()).arrayBuffer().catch(() => null); // null: it was replaced meanwhile
      if (data === null) return false;
      const bytes = new DataView(data);
      const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes.buffer, 4, bytes.getUint32(0, true))));
      if (header.classes.map(({ count }) => count).join() === wanted) return true;
    }
    return false;
  }, wanted);
}

/** Waits until the camera's light is out. */
async function letGo() {
  await page.waitForFunction(() => globalThis.tracks.every((track) => track.readyState === "ended"));
}

// ---- Drawn --------------------------------------------------------------------------------------------------------

const found = {};
await openExample(page);
await page.locator('.steps a[href="#data"]', { hasText: "samples" }).waitFor();
await toStep(page, "teach");
await lesson(9).waitFor();
found.named = await page.locator(".class .name").evaluateAll((inputs) => inputs.map((input) => input.value));
await draw("line", 0);
await page.locator(".seen canvas").waitFor();
await openModel();
found.kinds = await page.locator(".class .name").evaluateAll((inputs) => inputs.map((input) => input.value));
const shapes = Object.keys(SHAPES);
for (const [number, shape] of shapes.entries()) {
  await lesson(number).locator(".name").fill(shape);
  for (const shift of [-0.1, -0.05, 0, 0.05, 0.1]) {
    await draw(shape, shift);
    await lesson(number).getByRole("button", { name: "Add the drawing" }).click();
  }
}
found.recorded = await counts();
await train();
found.known = await counts();
found.said = {};
for (const shape of shapes) {
  await draw(shape, 0.03);
  await page.waitForFunction((shape) => document.querySelector(".said").textContent === shape, shape).catch(() => undefined);
  found.said[shape] = { name: await page.locator(".said").textContent(), bars: await bars() };
  if (shape === "cross" && part !== "drawn") await shotsOf(studio, "teach", [390, 1280]);
  await page.getByRole("button", { name: "Clear" }).click();
}
if (part === "drawn") {
  await studio.end(found);
  process.exit();
}
await page.setViewportSize({ width: 1280, height: 900 });
await lesson(0).getByRole("button", { name: "Drop sample 1 of line" }).click();
await lesson(2).getByRole("button", { name: "Drop all" }).click();
found.dropped = await counts();
await keptAs(found.dropped);

// ---- Kept ---------------------------------------------------------------------------------------------------------

await page.reload();
await openModel();
found.kept = await counts();
await page.getByRole("button", { name: "Use as data" }).click();
found.used = await page.locator('.steps a[href="#data"] .status').textContent();
await toStep(page, "teach");

// ---- Files --------------------------------------------------------------------------------------------------------

await page.getByText("Files", { exact: true }).click();
await lesson(2).locator("input[type=file]").setInputFiles([join(folder, "a.png"), join(folder, "b.png")]);
await lesson(2).locator(".recorded li").nth(1).waitFor();
await lesson(2).locator("input[type=file]").setInputFiles([join(folder, "broken.png")]);
found.broken = await page.getByRole("alert").textContent();
found.withFiles = await counts();

// ---- The camera ---------------------------------------------------------------------------------------------------

await page.getByText("Camera", { exact: true }).click();
await page.getByRole("button", { name: "Start the camera" }).click();
await page.locator(".seen canvas").waitFor();
const hold = lesson(1).getByRole("button", { name: "Hold to record" });
await hold.hover();
await page.mouse.down();
await lesson(1).locator(".recorded li").nth(8).waitFor();
await page.mouse.up();
await lesson(0).getByRole("button", { name: "Hold to record" }).focus();
await page.keyboard.press("Space");
await lesson(0).locator(".recorded li").nth(8).waitFor();
await page.keyboard.press("Space");
found.held = await page.locator(".hold[aria-pressed=true]").count();
await studio.shot("teach-camera");
found.live = await page.evaluate(() => document.querySelector("video").srcObject.active);
await page.evaluate(() => (globalThis.tracks = document.querySelector("video").srcObject.getTracks()));
await page.getByRole("button", { name: "Stop the camera" }).click();
await letGo();
await page.getByRole("button", { name: "Start the camera" }).click();
await page.locator(".seen canvas").waitFor();
await page.evaluate(() => (globalThis.tracks = document.querySelector("video").srcObject.getTracks()));
await page.evaluate(() => globalThis.tracks.forEach((track) => track.dispatchEvent(new Event("ended"))));
found.unplugged = await page.getByRole("alert").textContent();
await letGo();
await page.getByRole("button", { name: "Dismiss" }).click();

await page.evaluate(() => {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("Permission denied", "NotAllowedError"));
});
await page.getByRole("button", { name: "Start the camera" }).click();
found.denied = await page.getByRole("alert").textContent();
await page.evaluate(() => {
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("Requested device not found", "NotFoundError"));
});
await page.getByRole("button", { name: "Start the camera" }).click();
await page.getByRole("alert").filter({ hasText: "there is no camera" }).waitFor();
found.missing = await page.getByRole("alert").textContent();
await page.getByRole("button", { name: "Start over" }).click();
await page.getByText("has forgotten").waitFor();
await studio.end(found);
