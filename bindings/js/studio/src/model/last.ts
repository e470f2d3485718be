// The last opened model. It outlasts the page, so that opening it after a reload takes one click.

import { signal } from "@preact/signals";
import { restore } from "gradmote/storage";
import { inform } from "../notice";
import { model, session, type Model } from "../state";
import { onnx, options } from "./files";
import { openModel } from "./open";

const PLACE = "gradmote-studio", TABLE = "models", KEY = "last";

/** The model of the last visit; null if there is none, or the browser keeps nothing. */
export const last = signal<Model | null>(null);

/** Reads the model of the last visit. */
export async function readLast(): Promise<void> {
  last.value = await inTable<Model | undefined>("readonly", (table) => table.get(KEY)).then((found) => found ?? null, () => null);
}

/** Keeps the open model whenever it changes. A browser without storage forgets the model, but no results are lost. */
export function keepLast(): () => void {
  return model.subscribe((opened) => {
    if (opened) void inTable("readwrite", (table) => table.put(opened, KEY)).catch(() => undefined);
  });
}

/** Opens the last model again, with its kept state if there is one. */
export async function openLast(): Promise<void> {
  const found = last.value;
  if (!found) return;
  await openModel(found);
  onnx.value = found.onnx && { name: found.name.replace(/\.mote$/i, ".onnx"), bytes: found.onnx };
  options.value = found.options;
  const isKept = await restore(session.value!);
  inform(`Opened ${found.name}`, isKept ? "Its state is the one that was kept." : "No state of it was kept: it starts over.");
}

async function inTable<T>(mode: IDBTransactionMode, action: (table: IDBObjectStore) => IDBRequest): Promise<T> {
  const opening = indexedDB.open(PLACE);
  opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
  const opened = await done<IDBDatabase>(opening);
  try {
    return await done<T>(action(opened.transaction(TABLE, mode).objectStore(TABLE)));
  } finally {
    opened.close();
  }
}

function done<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T);
    request.onerror = () => reject(request.error);
  });
}
