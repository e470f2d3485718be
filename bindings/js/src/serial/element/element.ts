import { GradmoteError, readSource } from "../../index.js";
import { Board, hasSerial, type BoardData } from "../index.js";
import type { BoardState, Host, StateDetail } from "./host.js";
import { readManifest, type Manifest } from "./manifest.js";
import { button, node } from "./nodes.js";
import { STYLE } from "./style.js";
import { Views } from "./views.js";

/** A page may be rendered on a server, which has no HTMLElement. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * <gradmote-board>: a button that connects a board, and a window that shows what the board is, sends a model, trains,
 * teaches and saves. Slots: activate, unsupported, not-allowed. Attributes: image or manifest, baud-rate, flash (a page
 * that says how to give bare boards the firmware), theme ("light", "dark"). Properties: board, data, test, epochs.
 */
export class GradmoteBoard extends Base implements Host {
  /** The samples that the window offers to train on; `test` has those to test on. */
  data: BoardData | null = null;
  test: BoardData | null = null;
  epochs = 1;
  #board: Board | null = null;
  #views: Views | undefined;

  /** The board, while it is connected. */
  get board(): Board | null {
    return this.#board;
  }

  connectedCallback(): void {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    this.#views = new Views(this);
    root.append(node("style", { textContent: STYLE }), this.#offer(), this.#views.window.dialog);
    this.state = "idle";
  }

  disconnectedCallback(): void {
    queueMicrotask(() => this.isConnected || void this.disconnect()); // the page may only have moved the element
  }

  /** Returns the slot that fits this browser and this page. */
  #offer(): HTMLElement {
    this.toggleAttribute("install-supported", hasSerial());
    this.toggleAttribute("install-unsupported", !hasSerial());
    if (hasSerial()) {
      const activate = button("Connect a board", () => undefined, "button activate");
      activate.className = "primary";
      return node("slot", { name: "activate", onclick: () => void this.open() }, activate);
    }
    if (globalThis.isSecureContext === false) {
      return node("slot", { name: "not-allowed" }, node("p", {}, "Boards connect only to pages that are opened over https, or at localhost."));
    }
    return node("slot", { name: "unsupported" }, node("p", {}, "This browser cannot connect boards. Chrome, Edge and Opera on a computer can."));
  }

  // ---- State --------------------------------------------------------------------------------------------------------

  get state(): BoardState {
    return this.getAttribute("state") as BoardState;
  }

  private set state(state: BoardState) {
    this.setAttribute("state", state);
    this.toggleAttribute("active", !["idle", "connected", "finished", "error"].includes(state));
  }

  /** Enters a state, and fires state-changed. */
  enter(state: BoardState, message: string, details?: Record<string, unknown>): void {
    this.state = state;
    this.dispatchEvent(new CustomEvent("state-changed", { detail: { state, message, details } satisfies StateDetail, bubbles: true, composed: true }));
  }

  // ---- Connecting ---------------------------------------------------------------------------------------------------

  /** Opens the window; if no board is connected, the browser asks for one. Call it from a click or key handler. */
  async open(): Promise<void> {
    if (!this.#views) return;
    this.#views.window.open();
    if (this.state === "idle" || (this.state === "error" && !this.#board)) await this.connect();
  }

  /** Lets the user choose a port, and connects to its board. Failures show in the window. */
  async connect(): Promise<void> {
    const views = this.#views!;
    try {
      this.enter("initializing", "Choose the port of the board");
      views.connecting();
      const manifest = await this.manifest();
      const baudRate = Number(this.getAttribute("baud-rate")) || undefined;
      this.#use(await Board.request({ filters: manifest.filters, baudRate }));
      await views.dashboard();
    } catch (error) {
      await views.failed(error);
    }
  }

  #use(board: Board): void {
    this.#board = board;
    this.enter("connected", `${board.info().name} is connected`, { info: board.info() });
    void board.closed.then((reason) => {
      if (this.#board !== board) return;
      this.#board = null;
      if (reason) void this.#views!.failed(reason);
      else this.enter("idle", "The board is no longer connected");
    });
  }

  /** Ends the connection; the board keeps running. */
  async disconnect(): Promise<void> {
    await this.#board?.close();
  }

  // ---- What it offers -----------------------------------------------------------------------------------------------

  /** Returns the manifest, and the image of the attribute `image` if there is one. */
  async manifest(): Promise<Manifest> {
    const manifest = this.getAttribute("manifest"), image = this.getAttribute("image");
    const read: Manifest = manifest ? await readManifest(manifest) : {};
    return { ...read, ...(image && { image: new URL(image, document.baseURI).href }) };
  }

  /** Returns the bytes of the image. Throws GradmoteError if none is given. */
  async image(): Promise<Uint8Array> {
    const { image } = await this.manifest();
    if (!image) throw new GradmoteError("no image is given", 'write <gradmote-board image="model.mote">');
    return readSource(image, "the image");
  }
}
