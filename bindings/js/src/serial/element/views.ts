import { DeviceError, type Board, type BoardInfo } from "../index.js";
import type { BoardState, Host } from "./host.js";
import { button, facts, node } from "./nodes.js";
import { Bar, BoardWindow, Curve } from "./window.js";

/** The number of updates for one press on "Train on them". */
const REPLAYS = 100;
const STORE = "NO_STORE";

/** The views of the window, and the actions of their buttons. */
export class Views {
  readonly window = new BoardWindow(() => this.#stop?.abort());
  #stop: AbortController | undefined;

  constructor(private readonly element: Host) {}

  get #board(): Board {
    const { board } = this.element;
    if (board) return board;
    throw new DeviceError("LOST", "no board is connected", "connect it again");
  }

  connecting(): void {
    this.window.show("Connect a board", node("p", {}, "Choose the port of the board in the browser's list."));
  }

  // ---- The board ----------------------------------------------------------------------------------------------------

  /** Shows the board's facts and the possible actions. said: the result of the last action. */
  async dashboard(said = ""): Promise<void> {
    const info = await this.#board.refresh(), manifest = await this.element.manifest();
    const steps = info.status === 0 ? (await this.#board.metrics()).trainSteps : 0;
    const told = said ? [node("p", { role: "status", part: "message" }, said)] : [];
    const name = [manifest.name ?? "the model", manifest.version ?? ""].join(" ").trim();
    this.window.show(info.name, ...told, facts(rowsOf(info, steps)), ...this.#model(info, manifest.image ? name : ""),
      ...this.#training(info), ...(await this.#teaching(info)), ...this.#state(info), this.#leaving());
  }

  #model(info: BoardInfo, name: string): Node[] {
    if (!name) return [];
    const has = info.status === 0, send = button(has ? `Replace its model with ${name}` : `Send ${name}`, () => this.#send(false));
    if (!has) send.className = "primary";
    const update = button("Update, and keep what it learned", () => this.#send(true));
    return [node("section", {}, node("h3", {}, "Model"), node("div", { className: "row" }, send, ...(has ? [update] : [])))];
  }

  #training(info: BoardInfo): Node[] {
    const { data, test, epochs } = this.element, trains = info.programs.some((program) => ["step", "train"].includes(program));
    if (!data || !trains) return [];
    const train = button(`Train for ${epochs} ${epochs === 1 ? "epoch" : "epochs"}`, () => this.#train());
    train.className = "primary";
    const check = test ? [button("Test", () => this.#test())] : [];
    return [node("section", {}, node("h3", {}, "Train on this page's data"), node("div", { className: "row" }, train, ...check))];
  }

  async #teaching(info: BoardInfo): Promise<Node[]> {
    const store = info.status === 0 ? await this.#board.store().catch(nothingWithout(STORE)) : undefined;
    if (!store) return [];
    const label = node("input", { type: "number", min: "0", max: String(store.classes - 1), value: "0" });
    const named = node("label", {}, "Class", label);
    const learn = button("Learn what it senses", () => this.#do("training", async (board) => {
      await board.learn(Number(label.value));
      return `Learned one more of class ${label.value}.`;
    }));
    const forget = button("Forget this class", () => this.#do("training", async (board) => {
      await board.forget(Number(label.value));
      return `Forgot class ${label.value}.`;
    }));
    const replay = button("Train on them", () => this.#replay());
    const score = button("Score", () => this.#score(store.classes));
    const kept = node("p", { className: "soft" }, `${store.kept} of ${store.capacity} samples are kept.`);
    const buttons = [learn, forget, ...(store.kept ? [replay, score] : [])];
    return [node("section", {}, node("h3", {}, "Teach by hand"), kept, node("div", { className: "row" }, named, ...buttons))];
  }

  #state(info: BoardInfo): Node[] {
    if (info.status !== 0) return [];
    const file = node("input", { type: "file", accept: ".gmck" });
    file.onchange = () => file.files?.[0] && this.#load(file.files[0]);
    const load = node("label", { className: "file", part: "button" }, "Load a checkpoint", file);
    const buttons = [button("Save", () => this.#save()), load, button("Forget what it learned", () => this.#confirmReset())];
    return [node("section", {}, node("h3", {}, "What it learned"), node("div", { className: "row" }, ...buttons))];
  }

  #leaving(): Node {
    return node("section", {}, node("div", { className: "row" }, button("Disconnect", async () => {
      await this.element.disconnect();
      this.window.close();
    })));
  }

  // ---- What the buttons do ------------------------------------------------------------------------------------------

  /** Performs an action, and returns to the dashboard with the message that it returned. */
  async #do(state: BoardState, work: (board: Board) => Promise<string>): Promise<void> {
    try {
      if (this.element.state !== state) this.element.enter(state, "");
      const said = await work(this.#board);
      this.element.enter("finished", said);
      await this.dashboard(said);
    } catch (error) {
      if (this.#stop?.signal.aborted) return this.#ended();
      await this.failed(error);
    } finally {
      this.#stop = undefined;
    }
  }

  async #ended(): Promise<void> {
    this.element.enter("connected", "Stopped");
    await this.dashboard("Stopped.").catch((error: unknown) => this.failed(error));
  }

  /** Shows a bar with a button that stops the work, and returns the bar and the signal. */
  #progress(title: string, ...more: Node[]): [Bar, AbortSignal] {
    const bar = new Bar(this.window, title), stop = (this.#stop = new AbortController());
    this.window.show(title, ...bar.nodes, ...more, node("div", { className: "row" }, button("Stop", () => stop.abort())));
    return [bar, stop.signal];
  }

  #send(update: boolean): Promise<void> {
    const [bar, signal] = this.#progress(update ? "Updating the model" : "Sending the model");
    return this.#do("preparing", async (board) => {
      const onProgress = (done: number, total: number) => {
        bar.set(done / total, `${done.toLocaleString("en")} of ${total.toLocaleString("en")} bytes`);
        this.element.enter("writing", "Sending the model", { bytesWritten: done, bytesTotal: total, percentage: (100 * done) / total });
      };
      const image = await this.element.image();
      if (!update) await board.loadImage(image, { onProgress, signal });
      const carried = update ? (await board.updateImage(image, { onProgress, signal })).carried : 0;
      return update && carried ? `The model is updated; ${carried} parts of what it learned were kept.` : "The board has the model.";
    });
  }

  #train(): Promise<void> {
    const { epochs, data } = this.element, curve = new Curve(), [bar, signal] = this.#progress("Training", curve.drawing);
    return this.#do("training", async (board) => {
      const told = await board.train({
        ...data!, epochs, signal, onStep: ({ epoch, step, steps, loss }) => {
          curve.add(loss);
          bar.set((steps * (epoch - 1) + step) / (steps * epochs), `Epoch ${epoch} of ${epochs}, step ${step} of ${steps}, loss ${loss.toFixed(4)}`);
          this.element.enter("training", "Training", { epoch, step, steps, loss });
        },
      });
      return `Trained: the loss of the last epoch is ${told.at(-1)!.loss.toFixed(4)}.`;
    });
  }

  #test(): Promise<void> {
    const [bar, signal] = this.#progress("Testing");
    return this.#do("preparing", async (board) => {
      const onProgress = (done: number, total: number) => bar.set(done / total, `${done} of ${total} samples`);
      const { loss, accuracy } = await board.evaluate({ ...this.element.test!, onProgress, signal });
      return `Loss ${loss.toFixed(4)}` + (Number.isNaN(accuracy) ? "." : `, ${(100 * accuracy).toFixed(1)} % right.`);
    });
  }

  #replay(): Promise<void> {
    const curve = new Curve(), [bar, signal] = this.#progress("Training on its samples", curve.drawing);
    return this.#do("training", async (board) => {
      for (let step = 1; step <= REPLAYS; step++) {
        signal.throwIfAborted();
        const { loss } = await board.replay();
        curve.add(loss);
        bar.set(step / REPLAYS, `Step ${step} of ${REPLAYS}, loss ${loss.toFixed(4)}`);
        this.element.enter("training", "Training", { step, steps: REPLAYS, loss });
      }
      return `Trained for ${REPLAYS} steps on its samples.`;
    });
  }

  #score(classes: number): Promise<void> {
    const [bar, signal] = this.#progress("Scoring");
    return this.#do("preparing", async (board) => {
      let all = 0, met = 0;
      for (let label = 0; label < classes; label++) {
        signal.throwIfAborted();
        const [kept, right] = await board.score(label);
        [all, met] = [all + kept, met + right];
        bar.set((label + 1) / classes, `Class ${label}: ${right} of ${kept} right`);
      }
      return `It recognizes ${met} of its ${all} samples.`;
    });
  }

  #save(): Promise<void> {
    const [bar, signal] = this.#progress("Saving");
    return this.#do("saving", async (board) => {
      const onProgress = (done: number, total: number) => bar.set(done / total, `${done} of ${total} bytes`);
      const checkpoint = await board.save({ onProgress, signal });
      this.element.dispatchEvent(new CustomEvent("checkpoint", { detail: { checkpoint }, bubbles: true, composed: true }));
      download(checkpoint, `${board.info().name}.gmck`);
      return `Saved on the board, and as ${board.info().name}.gmck.`;
    });
  }

  #load(file: File): Promise<void> {
    const [bar, signal] = this.#progress("Loading the checkpoint");
    return this.#do("writing", async (board) => {
      const onProgress = (done: number, total: number) => bar.set(done / total, `${done} of ${total} bytes`);
      await board.load(new Uint8Array(await file.arrayBuffer()), { onProgress, signal });
      return `The board goes on from ${file.name}.`;
    });
  }

  #confirmReset(): void {
    const yes = button("Forget it", () => this.#do("preparing", async (board) => {
      await board.reset();
      return "The model is as it was sent. What the board had saved is still there.";
    }));
    const no = button("Keep it", () => this.dashboard().catch((error: unknown) => this.failed(error)));
    this.window.show("Forget what it learned?", node("p", {}, "The model returns to the state in which it was sent."), node("div", { className: "row" }, yes, no));
  }

  // ---- Failures -----------------------------------------------------------------------------------------------------

  /** Shows what was wrong, what to do, and the next steps. */
  async failed(error: unknown): Promise<void> {
    const { text, hint = "", message, error: name } = error as DeviceError;
    this.element.enter("error", text ?? message, { error: name ?? "" });
    const again = this.element.board
      ? button("Back", () => this.dashboard().catch((reason: unknown) => this.failed(reason)))
      : button("Choose a port", () => this.element.connect());
    again.className = "primary";
    const said = node("div", { role: "alert", part: "error" }, node("p", { className: "bad" }, sentence(text ?? message)), node("p", {}, sentence(hint)));
    this.window.show("It did not work", said, node("div", { className: "row" }, again), ...(mayBeBare(error) ? [await this.#flashing()] : []));
  }

  /** Returns how to put the firmware on a bare board, which is up to the board's own tools. */
  async #flashing(): Promise<Node> {
    const { flash = [] } = await this.element.manifest().catch(() => ({ flash: [] })), page = this.element.getAttribute("flash");
    const ways = flash.map(({ board, href, text }) => node("li", {}, node("a", { href, target: "_blank", rel: "noopener" }, board), text ? `: ${text}` : ""));
    const more = page ? [node("p", {}, node("a", { href: page, target: "_blank", rel: "noopener" }, "How to flash a board"))] : [];
    return node("details", { open: true, part: "flash" }, node("summary", {}, "No firmware on the board yet?"),
      node("p", {}, "A board with a drive takes a UF2 file: copy it there. Others are flashed by their maker's tools, or by: gradmote flash --board NAME"),
      ...(ways.length ? [node("ul", {}, ...ways)] : []), ...more);
  }
}

/** Returns the words of a message as a sentence. */
function sentence(words: string): string {
  return words && `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function rowsOf(info: BoardInfo, steps: number): [string, string][] {
  const bytes = (count: number) => `${count.toLocaleString("en")} B`;
  const none = info.status === -103 ? "none" : `none (${info.status})`;
  return [
    ["Firmware", info.version], ["Numerics", info.profile], ["Memory for a model", bytes(info.arenaAvailable)],
    ["Model", info.status === 0 ? bytes(info.imageSize) : none],
    ...(info.status === 0 ? [["It takes", bytes(info.arenaRequired)], ["Samples in a step", String(info.batch)], ["Steps trained", String(steps)]] as [string, string][] : []),
    ...(info.checkpointSize ? [["Saved", bytes(info.checkpointSize)]] as [string, string][] : []),
  ];
}

/** Returns whether an error means that the board may lack our firmware. */
function mayBeBare(error: unknown): boolean {
  return error instanceof DeviceError && ["NO_PORT", "SILENT", "OTHER_FIRMWARE"].includes(error.error);
}

/** Returns a handler that turns the runtime's error of that name into undefined, and rethrows other errors. */
function nothingWithout(name: string): (error: { error?: string }) => undefined {
  return (error) => {
    if (error.error !== name) throw error;
    return undefined;
  };
}

function download(bytes: Uint8Array, name: string): void {
  const href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]));
  node("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
