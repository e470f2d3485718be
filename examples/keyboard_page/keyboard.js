// A keyboard's words, and how it learns: what examples/next_word does in Python, in the same order, so that page, twin
// and board reach the same bits. As a classic script, it defines one class: Keyboard.

"use strict";

globalThis.Keyboard = class Keyboard {
  /**
   * session: of the image that keyboard_files.py wrote. settings: its words.json. kept: own words that record()
   * returned.
   */
  constructor(session, settings, kept) {
    this.session = session;
    this.settings = settings;
    this.words = [...settings.words]; // of each row; null without a word
    for (const [i, word] of (kept ?? []).entries()) this.words[settings.firstSpare + i] = word;
    this.free = settings.firstSpare + (kept ?? []).length;
    this.rows = new Map(this.words.map((word, row) => [word, row]).filter(([word]) => word !== null));
    this.typed = new Map();
  }

  /** The sentences of a text, as lists of words. */
  static sentences(text) {
    const words = (sentence) => sentence.toLowerCase().match(/[a-z]+(?:'[a-z]+)*/g) ?? [];
    return text.split(/[.!?\n]+/).map(words).filter((sentence) => sentence.length > 0);
  }

  /** The owner's words that have been given a row. */
  get own() {
    return this.words.slice(this.settings.firstSpare, this.free);
  }

  row(word) {
    return this.rows.get(word) ?? this.settings.unknown;
  }

  /** Returns the row of a word that the owner types; a new word gets one when it is typed again. */
  type(word) {
    if (!this.rows.has(word)) {
      const times = (this.typed.get(word) ?? 0) + 1;
      this.typed.set(word, times);
      if (times === this.settings.times && this.free < this.settings.firstSpare + this.settings.spare) {
        this.words[this.free] = word;
        this.rows.set(word, this.free++);
        this.typed.delete(word);
      }
    }
    return this.row(word);
  }

  /** The last rows of a sentence that begins. */
  context(rows) {
    const { context, start } = this.settings;
    return Int32Array.from([...Array(context).fill(start), ...rows].slice(-context));
  }

  /** Returns up to three words that may follow these, or that complete `prefix`; the most probable one first. */
  suggest(sentence, prefix = "") {
    const [scores] = this.session.infer(this.context(sentence.map((word) => this.row(word))));
    const fitting = this.words.map((_, row) => row).filter((row) => this.words[row]?.startsWith(prefix));
    return fitting.sort((a, b) => scores[b] - scores[a]).slice(0, 3).map((row) => this.words[row]);
  }

  /** Goes over the sentences `passes` times, one word a step, at a rate that falls to 0. */
  async learn(sentences, passes = this.settings.passes, show = () => {}) {
    const samples = [];
    for (const sentence of sentences) {
      const rows = [];
      for (const word of sentence) {
        const context = this.context(rows);
        rows.push(this.type(word));
        samples.push([context, Int32Array.of(rows.at(-1))]);
      }
    }
    const steps = passes * samples.length;
    if (steps > 0) this.session.setLinearSchedule(this.settings.rate, 0, steps);
    for (let step = 0; step < steps; step++) {
      this.session.step(...samples[step % samples.length]);
      if (step % 256 === 255) {
        show(step / steps);
        await new Promise((resolve) => setTimeout(resolve, 0)); // the page draws
      }
    }
  }

  /** Returns the share of words that were among the three suggestions before them. */
  accuracy(sentences) {
    let right = 0, count = 0;
    for (const sentence of sentences) {
      for (const [i, word] of sentence.entries()) {
        right += this.suggest(sentence.slice(0, i)).includes(word);
        count++;
      }
    }
    return right / count;
  }
};
