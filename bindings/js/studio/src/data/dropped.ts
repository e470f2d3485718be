/** Files that were dropped or chosen, with their folders. */
import { DataError } from "./problem";
import type { Source } from "./source";

/** The most files to take at once. */
const MOST_FILES = 100_000;

/** Returns the files of an input. If they are from a folder, their paths begin with its name. */
export function chosenFiles(files: Iterable<File>): Source[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, blob: file }));
}

/** Returns what was dropped: files, and the files in folders. Throws DataError if something cannot be read. */
export async function droppedFiles(transfer: DataTransfer): Promise<Source[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return chosenFiles(transfer.files);
  const found: Source[] = [];
  for (const entry of entries) if (entry) await take(entry, found);
  return found;
}

async function take(entry: FileSystemEntry, found: Source[]): Promise<void> {
  if (found.length >= MOST_FILES) throw new DataError(`${entry.fullPath} is in a folder of more than ${MOST_FILES} files`, "give fewer");
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isDirectory) {
    const entries = await entriesOf(entry as FileSystemDirectoryEntry);
    if (!entries.length) found.push({ path: `${path}/.empty`, blob: new Blob() }); // reports a class without samples
    for (const inner of entries) await take(inner, found);
    return;
  }
  try {
    found.push({ path, blob: await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed)) });
  } catch (error) {
    throw new DataError(`cannot read ${path} (${(error as Error).message})`, "check that it may be read");
  }
}

/** Returns all entries of a folder; the browser returns a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader(), found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    found.push(...some);
  }
}
