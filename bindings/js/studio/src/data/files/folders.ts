/** A folder of samples by class: FOLDER/CLASS/FILE, or FOLDER/train/CLASS/FILE and FOLDER/test/CLASS/FILE. */
import { byCodePoint } from "../order";
import { DataError } from "../problem";
import { endingOf, MOST, nameOf, type Source } from "../source";
import { counted, named, quoted } from "../wording";

/** The extensions of pictures and of recordings. */
const PICTURES = [".png", ".jpg", ".jpeg"];
const SOUNDS = [".wav"];
/** The names of folders for training and for testing. */
const TRAIN = ["train", "training"], TEST = ["test", "testing", "val", "valid", "validation"];
/** A folder that some systems add when they pack others. */
const ADDED = "__MACOSX";
const LAYOUT = "put each file into a folder that is named after its class: FOLDER/CLASS/FILE.png, or .jpg, or .wav";

/** A folder with its files and folders, sorted by name. */
interface Folder {
  path: string;
  entries: Map<string, Folder | Source>;
}

/** The files of a folder, class by class, with the class name of each file. */
export interface ClassFolder {
  path: string;
  files: Source[];
  classes: string[];
  /** Sentences on skipped entries. */
  notes: string[];
}

/** Returns the folder's path, and its parts by the suffix of their array names: "", and "_test" if it has both. */
export function partsOf(files: readonly Source[]): { path: string; parts: Record<string, ClassFolder> } {
  const whole = files.reduce((sum, { blob }) => sum + blob.size, 0);
  const root = innermost(treeOf(files));
  if (whole > MOST) throw new DataError(`${named(root.path)} has ${counted(whole)} bytes, and at most ${counted(MOST)} are read`, "give fewer files");
  const folders = [...root.entries.values()].filter(isFolder);
  const [train, test] = [TRAIN, TEST].map((names) => folders.filter(({ path }) => names.includes(nameOf(path).toLowerCase())));
  const isSplit = folders.length === 2 && train.length === 1 && test.length === 1;
  return { path: root.path, parts: isSplit ? { "": classesOf(train[0]), _test: classesOf(test[0]) } : { "": classesOf(root) } };
}

/** Returns whether the files are recordings. */
export function holdsSounds({ files }: ClassFolder): boolean {
  return SOUNDS.includes(endingOf(files[0].path));
}

// ---- The tree -----------------------------------------------------------------------------------------------------

function treeOf(files: readonly Source[]): Folder {
  const root: Folder = { path: "", entries: new Map() };
  for (const file of [...files].sort((one, other) => byCodePoint(one.path, other.path))) {
    const names = file.path.split("/").filter(Boolean), name = names.pop()!;
    if (names.some(isHidden)) continue;
    let folder = root;
    for (const part of names) folder = folderIn(folder, part);
    if (!isHidden(name)) folder.entries.set(name, file);
  }
  return sorted(root);
}

function isHidden(name: string): boolean {
  return name.startsWith(".") || name === ADDED;
}

function folderIn(folder: Folder, name: string): Folder {
  const found = folder.entries.get(name);
  if (found && isFolder(found)) return found;
  const made = { path: folder.path ? `${folder.path}/${name}` : name, entries: new Map() };
  folder.entries.set(name, made);
  return made;
}

function sorted(folder: Folder): Folder {
  const entries = [...folder.entries].sort(([one], [other]) => byCodePoint(one, other));
  return { path: folder.path, entries: new Map(entries.map(([name, entry]) => [name, isFolder(entry) ? sorted(entry) : entry])) };
}

function isFolder(entry: Folder | Source): entry is Folder {
  return "entries" in entry;
}

/** Returns the folder of the classes, without outer folders that hold nothing else. */
function innermost(folder: Folder): Folder {
  const [only, ...others] = folder.entries.values();
  if (!only || others.length || !isFolder(only)) return folder;
  return folder.path === "" || [...only.entries.values()].every(isFolder) ? innermost(only) : folder;
}

// ---- Classes ------------------------------------------------------------------------------------------------------

function classesOf(folder: Folder): ClassFolder {
  const files: Source[] = [], classes: string[] = [];
  let leftOut = 0;
  for (const [name, entry] of folder.entries) {
    if (isFolder(entry)) {
      const found = samplesIn(entry, name);
      files.push(...found.files);
      classes.push(...found.files.map(() => name));
      leftOut += found.others;
    } else if (isSample(entry)) {
      throw new DataError(`${named(entry.path)} is not in the folder of a class`, LAYOUT);
    } else leftOut++;
  }
  if (!files.length) throw new DataError(`${named(folder.path || "what was given")} has no classes`, LAYOUT);
  requireOneKind(files);
  const note = `${named(folder.path)}: ${counted(leftOut)} entries are left out: they are not PNG, JPEG or WAV files`;
  return { path: folder.path, files, classes, notes: leftOut ? [note] : [] };
}

/** Returns the samples of one class, and how many other entries there are. Throws DataError if there are no samples. */
function samplesIn(folder: Folder, name: string): { files: Source[]; others: number } {
  const files: Source[] = [];
  let others = 0;
  for (const entry of folder.entries.values()) {
    if (isFolder(entry) && files.length) throw new DataError(`${named(entry.path)} is a folder inside a class`, LAYOUT);
    if (!isFolder(entry) && isSample(entry)) files.push(entry);
    else others++;
  }
  if (files.length) return { files, others };
  throw new DataError(`class ${quoted(name)} has no PNG, JPEG or WAV file in ${named(folder.path)}`, LAYOUT);
}

function isSample({ path }: Source): boolean {
  return [...PICTURES, ...SOUNDS].includes(endingOf(path));
}

/** Throws DataError if there are both pictures and recordings. */
function requireOneKind(files: readonly Source[]): void {
  const kind = ({ path }: Source) => (SOUNDS.includes(endingOf(path)) ? "a recording" : "a picture");
  const other = files.find((file) => kind(file) !== kind(files[0]));
  if (!other) return;
  throw new DataError(`${named(other.path)} is ${kind(other)}, and ${named(files[0].path)} ${kind(files[0])}`, "give a folder of one kind");
}
