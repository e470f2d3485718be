/** Labels that are names: each becomes the number of its class. */
import { hasNames, indexOf, placeOf, type AnyArray, type Loaded, type NameArray } from "./loaded";
import { byCodePoint } from "./order";
import { DataError } from "./problem";
import { nameOf } from "./source";
import { listed, named, quoted } from "./wording";

const LABELS = ["y", "y_test"];
const WHOLE = /^\d{1,9}$/;

/**
 * Returns the labels as class numbers.
 *
 * given: the names of the classes in the order of the model's outputs. By default, names that are integers are the
 * class numbers; otherwise the sorted names are numbered. Throws DataError for a label that is none of the classes.
 */
export function numbered(loaded: Loaded, given: string[] | null): Loaded {
  const arrays = { ...loaded.arrays };
  const withNames = LABELS.filter((name) => arrays[name] && hasNames(arrays[name]));
  if (!withNames.length && given === null) return loaded;
  if (given === null && withNames.every((name) => (arrays[name].data as string[]).every((label) => WHOLE.test(label)))) {
    for (const name of withNames) arrays[name] = { dtype: "int32", shape: arrays[name].shape, data: Int32Array.from(arrays[name].data as string[], Number) };
    return { ...loaded, arrays };
  }
  if (!withNames.includes("y") && given === null) {
    throw new DataError(`${named(loaded.path)}: the labels to train on are numbers, those to test on names`, "name both");
  }
  const classes = given ?? [...new Set(textsOf(arrays.y))].sort(byCodePoint);
  requireSeveral(loaded, classes);
  for (const name of LABELS) if (arrays[name]) arrays[name] = numbersOf(loaded, name, classes);
  const told = listed(classes.map((name, number) => `${number} = ${quoted(name)}`));
  const note = `${named(nameOf(loaded.path))}: labels are names; the classes are ${told}`;
  return { ...loaded, arrays, classes, notes: [...loaded.notes, note] };
}

/** Throws DataError if there is only one class, as nothing can be distinguished then. */
function requireSeveral(loaded: Loaded, classes: string[]): void {
  if (classes.length >= 2 || !loaded.arrays.y) return;
  const texts = textsOf(loaded.arrays.y), where = placeOf(loaded.origins.y, "y", [0]);
  throw new DataError(
    `${where}: ${quoted(texts[0] ?? "")} is not a number, and it is the only class of ${texts.length} samples`,
    "number the classes from 0, or give samples of another class too",
  );
}

function textsOf(labels: AnyArray): string[] {
  return hasNames(labels) ? labels.data : Array.from(labels.data as Float64Array, String);
}

function numbersOf(loaded: Loaded, name: string, classes: string[]): AnyArray {
  const labels = loaded.arrays[name] as NameArray, texts = textsOf(labels);
  const numberOf = new Map(classes.map((text, number) => [text, number]));
  const unknown = texts.findIndex((text) => !numberOf.has(text));
  if (unknown >= 0) {
    const where = placeOf(loaded.origins[name], name, indexOf(unknown, labels.shape));
    throw new DataError(
      `${where}: ${quoted(texts[unknown])} is none of the classes ${listed(classes)}`,
      "write all names alike; or give the names of the classes in the order of the model's outputs",
    );
  }
  return { dtype: "int32", shape: labels.shape, data: Int32Array.from(texts, (text) => numberOf.get(text)!) };
}
