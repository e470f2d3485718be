// The page: suggestions while the owner types, and a button that learns. The state is kept on this device, in the
// origin's private storage.

"use strict";

const HELD_OUT = 5; // every fifth sentence tests, and is learned afterwards
const at = (id) => document.getElementById(id);
const buttons = [...at("suggestions").children];
const percent = (share) => `${(100 * share).toFixed(0)} %`;

async function openKeyboard() {
  const [session, response] = await Promise.all([gradmote.load("keyboard.mote"), fetch("words.json")]);
  const settings = await response.json();
  const restored = await gradmoteStorage.restore(session);
  const kept = restored ? JSON.parse(localStorage.getItem("own words") ?? "[]") : [];
  return new Keyboard(session, settings, kept);
}

/** The words of the sentence before the cursor, and the letters of the one being typed. */
function beforeCursor() {
  const text = at("text").value.slice(0, at("text").selectionStart).toLowerCase();
  const [prefix] = text.match(/[a-z']*$/);
  const sentence = text.slice(0, text.length - prefix.length).split(/[.!?\n]/).at(-1);
  return { sentence: sentence.match(/[a-z]+(?:'[a-z]+)*/g) ?? [], prefix };
}

function suggest(keyboard) {
  const { sentence, prefix } = beforeCursor(), words = keyboard.suggest(sentence, prefix);
  for (const [i, button] of buttons.entries()) {
    button.textContent = words[i] ?? "";
    button.disabled = !words[i];
  }
}

/** Writes a suggested word instead of the letters before the cursor. */
function accept(keyboard, word) {
  const text = at("text"), cursor = text.selectionStart;
  text.setRangeText(`${word} `, cursor - beforeCursor().prefix.length, cursor, "end");
  text.focus();
  suggest(keyboard);
}

async function learn(keyboard) {
  const sentences = Keyboard.sentences(at("text").value);
  const held = sentences.filter((_, i) => i % HELD_OUT === HELD_OUT - 1), typed = sentences.filter((_, i) => i % HELD_OUT !== HELD_OUT - 1);
  const before = keyboard.accuracy(held);
  await keyboard.learn(typed, undefined, (share) => (at("status").textContent = `Learning: ${percent(share)}`));
  const count = typed.flat().length;
  at("status").textContent = held.length
    ? `Learned ${count} words. Of ${held.flat().length} words in other sentences of yours, ${percent(before)} were among three suggestions before, ${percent(keyboard.accuracy(held))} are now.`
    : `Learned ${count} words. With five sentences or more, every fifth one is held out to test what was learned.`;
  localStorage.setItem("own words", JSON.stringify(keyboard.own)); // first: a row without training does no harm
  await gradmoteStorage.persist(keyboard.session);
}

function showOwn(keyboard) {
  at("own").textContent = keyboard.own.length ? `Your own words: ${keyboard.own.join(", ")}` : "";
}

/** Runs what a button does with the buttons disabled, and shows an error. */
async function during(keyboard, work) {
  for (const id of ["learn", "forget"]) at(id).disabled = true;
  try {
    await work(keyboard);
  } catch (error) {
    at("status").textContent = String(error);
  }
  for (const id of ["learn", "forget"]) at(id).disabled = false;
  showOwn(keyboard);
  suggest(keyboard);
}

async function forget(keyboard) {
  await gradmoteStorage.discard(keyboard.session);
  localStorage.removeItem("own words");
  location.reload();
}

openKeyboard().then((keyboard) => {
  for (const event of ["input", "click", "keyup"]) at("text").addEventListener(event, () => suggest(keyboard));
  for (const button of buttons) button.addEventListener("click", () => accept(keyboard, button.textContent));
  at("learn").addEventListener("click", () => during(keyboard, learn));
  at("forget").addEventListener("click", () => during(keyboard, forget));
  at("status").textContent = "Ready.";
  showOwn(keyboard);
  suggest(keyboard);
}).catch((error) => (at("status").textContent = String(error)));
