import { bytesOf, type Bytes } from "./bytes.js";
import type { RuntimeFault } from "./errors.js";
import type { ErrorName } from "./generated/errors.js";
import type { RemoteSession, Session } from "./index.js";
import { checkedName, following, jsonOf, packed, slotOf, slotsIn, valueOf, type Properties, type Value } from "./properties.js";

export type { Value } from "./properties.js";

const KEY_BYTES = 20;

/**
 * The state of a session, with properties of any length: whole numbers of 64 bits, floats and texts, under any names. Its
 * files are those of onnxruntime's classes in the other languages, and load() keeps what it does not know of a file.
 */
export class CheckpointState {
  readonly session: Session | RemoteSession;
  #properties: Properties = new Map();
  #frozen: Uint8Array = new Uint8Array();

  /** session: one in this page, or one in a worker. */
  constructor(session: Session | RemoteSession) {
    this.session = session;
  }

  /** Loads a checkpoint into the session, and the properties in its file. Checks all bytes before it changes anything. */
  async load(data: Bytes): Promise<void> {
    const file = bytesOf(data, "the checkpoint"), { frozen, properties } = following(file);
    await this.session.load(file);
    [this.#frozen, this.#properties] = [frozen, properties];
  }

  /** Returns the bytes of a .gmck checkpoint with the properties. */
  async save(): Promise<Uint8Array> {
    await this.#giveSlots();
    return this.#withRest(await this.session.save());
  }

  /** Returns a checkpoint from which the optimizer begins again: moments, counters, rate and schedule are the image's. */
  async saveWithoutOptimizer(): Promise<Uint8Array> {
    await this.#giveSlots();
    return this.#withRest(await this.session.saveWithoutOptimizer());
  }

  /**
   * Adds a number or a text, which the files keep. What fits 32 bits, under a name of up to 19 bytes, is in a slot of the
   * state too, if one is free, so that a device reads it.
   *
   * If no type is given, a whole number is an int, and any other a float.
   */
  addProperty(name: string, value: Value, type?: "int" | "float"): void {
    this.#properties.set(checkedName(name), jsonOf(name, value, type));
  }

  /** Returns a number, or a bigint if it is a whole number beyond 2^53, or a text; undefined if there is none. */
  async getProperty(name: string): Promise<Value | undefined> {
    const json = this.#properties.get(name);
    return json === undefined ? (await this.session.properties())[name] : valueOf(name, json);
  }

  #withRest(saved: Uint8Array): Uint8Array {
    return packed(saved, this.#frozen, new Map([...slotsIn(saved), ...this.#properties]));
  }

  /** Writes what fits to slots, and takes out what they must not have. */
  async #giveSlots(): Promise<void> {
    for (const [name, json] of this.#properties) {
      if (new TextEncoder().encode(name).length >= KEY_BYTES || name.includes("\0")) continue;
      const slot = slotOf(json);
      if (slot && (await succeeds("FULL", () => this.session.setProperty(name, ...slot)))) continue;
      await succeeds("NOT_FOUND", () => this.session.removeProperty(name));
    }
  }
}

/** Returns false if a call is refused with that error. */
async function succeeds(error: ErrorName, call: () => void | Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (fault) {
    if ((fault as RuntimeFault).error !== error) throw fault;
    return false;
  }
}
