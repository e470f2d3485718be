/**
 * Checkpoints that a page keeps on the device: in the origin's private file system, or in IndexedDB if a browser cannot
 * write there. An interrupted write leaves the earlier checkpoint.
 */
import { Checkpoint } from "./generated/records.js";
import { GradmoteError } from "./index.js";

/** A session in this page, or one in a worker. */
export interface Keeping {
  save(half?: boolean): Uint8Array | Promise<Uint8Array>;
  load(data: Uint8Array): void | Promise<void>;
}

/** Keeps the state of a session. name: by default the model's own, so that each model has one. */
export async function persist(session: Keeping, name?: string): Promise<void> {
  const checkpoint = await session.save();
  await onShelf("kept", (shelf) => shelf.put(name ?? nameOf(checkpoint), checkpoint));
}

/** Loads the kept state. If there is none, returns false and changes nothing. */
export async function restore(session: Keeping, name?: string): Promise<boolean> {
  const under = name ?? nameOf(await session.save());
  const found = await onShelf("read", (shelf) => shelf.get(under));
  if (found) await session.load(found);
  return found !== undefined;
}

/** Removes the checkpoint of a model, or the one under a name. */
export async function discard(sessionOrName: Keeping | string): Promise<void> {
  const name = typeof sessionOrName === "string" ? sessionOrName : nameOf(await sessionOrName.save());
  await onShelf("removed", (shelf) => shelf.remove(name));
}

interface Shelf {
  put(name: string, data: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
}

const PLACE = "gradmote";
/** The range of a checkpoint's header that holds the model's id. */
const MODEL_ID = [Checkpoint.modelId, Checkpoint.entries] as const;

function nameOf(checkpoint: Uint8Array): string {
  return Array.from(checkpoint.subarray(...MODEL_ID), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Uses the shelf. If the browser refuses, GradmoteError says what was not done. */
async function onShelf<T>(done: string, use: (shelf: Shelf) => Promise<T>): Promise<T> {
  try {
    return await use(await shelf());
  } catch (cause) {
    const { name, message, hint } = cause as GradmoteError;
    if (hint) throw cause;
    const help = "make room or allow storage, or keep the bytes of save() yourself";
    throw new GradmoteError(`the checkpoint cannot be ${done}: ${name}: ${message}`, help, { cause });
  }
}

async function shelf(): Promise<Shelf> {
  const root = await globalThis.navigator?.storage?.getDirectory?.().catch(() => undefined);
  if (root && "createWritable" in FileSystemFileHandle.prototype) {
    return files(await root.getDirectoryHandle(PLACE, { create: true }));
  }
  if (globalThis.indexedDB) return database();
  throw new GradmoteError("there is no storage for checkpoints here", "keep the bytes of save() yourself, for instance in a file");
}

function files(folder: FileSystemDirectoryHandle): Shelf {
  const isMissing = (error: Error) => {
    if (error.name !== "NotFoundError") throw error;
    return undefined;
  };
  return {
    async put(name, data) {
      const file = await folder.getFileHandle(encodeURIComponent(name), { create: true });
      const stream = await file.createWritable(); // replaces the file when it is closed
      await stream.write(data as BufferSource);
      await stream.close();
    },
    async get(name) {
      const handle = await folder.getFileHandle(encodeURIComponent(name)).catch(isMissing);
      const data = handle && new Uint8Array(await (await handle.getFile()).arrayBuffer());
      return data?.length ? data : undefined; // empty: its first write was interrupted
    },
    remove: async (name) => void (await folder.removeEntry(encodeURIComponent(name)).catch(isMissing)),
  };
}

async function database(): Promise<Shelf> {
  const opening = indexedDB.open(PLACE);
  opening.onupgradeneeded = () => opening.result.createObjectStore(PLACE);
  const opened = await done(opening);
  const table = (mode: IDBTransactionMode) => opened.transaction(PLACE, mode).objectStore(PLACE);
  return {
    put: async (name, data) => void (await done(table("readwrite").put(data, name))),
    get: (name) => done(table("readonly").get(name)),
    remove: async (name) => void (await done(table("readwrite").delete(name))),
  };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
