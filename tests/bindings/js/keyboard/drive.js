// Types a text into the keyboard page as its owner does, lets it learn, and leaves what it shows. The state that the page
// keeps is loaded into another session, whose digest is the checkpoint's.

const frame = document.querySelector("iframe");

async function until(found) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((later) => setTimeout(later, 20))) {
    const value = found();
    if (value) return value;
  }
  throw new Error("the page does not get there in a minute");
}

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function drive() {
  const text = await (await fetch("/data/keyboard/text.txt")).text();
  const { contentWindow: page, contentDocument: shown } = frame, at = (id) => shown.getElementById(id);
  await until(() => at("status").textContent === "Ready.");
  const suggested = () => Array.from(at("suggestions").children, (button) => button.textContent);
  const type = (value) => {
    at("text").value = value;
    at("text").setSelectionRange(value.length, value.length);
    at("text").dispatchEvent(new page.Event("input"));
  };
  const loaded = page.performance.getEntriesByType("resource").length;
  type("And he sa");
  const completed = suggested();
  at("suggestions").children[0].click();
  const accepted = at("text").value;
  type(text);
  at("learn").click();
  const status = await until(() => at("status").textContent.startsWith("Learned") && !at("learn").disabled && at("status").textContent);
  const requests = page.performance.getEntriesByType("resource").length - loaded;
  type("And I ");
  const session = await page.gradmote.load("keyboard.mote");
  const restored = await page.gradmoteStorage.restore(session);
  return { completed, accepted, status, requests, restored, own: at("own").textContent, after: suggested(), digest: await digest(session.save()) };
}

frame.addEventListener("load", () => drive().then((result) => (globalThis.result = result), (error) => (globalThis.result = { error: String(error) })));
