/** The arrays of an .npz file by name. */
import { sizeOf, type AnyArray } from "../loaded";
import { asDataError, DataError } from "../problem";
import { type Source, type Watcher } from "../source";
import { named } from "../wording";
import { arrayIn } from "./npy";
import { contentOf, membersOf, type Member } from "./zip";

const ENDING = ".npy";

/** Returns the arrays. Throws DataError if the file is damaged. */
export async function readNpz(source: Source, watcher: Watcher): Promise<Record<string, AnyArray>> {
  const found: Record<string, AnyArray> = {};
  const done = { bytes: 0 };
  try {
    const members = await membersOf(source), total = members.reduce((sum, { size }) => sum + size, 1);
    for (const member of members) {
      watcher.signal?.throwIfAborted();
      watcher.progress?.(done.bytes / total);
      const array = await memberArray(source, member);
      found[array.name] = array.array;
      done.bytes += member.size;
    }
  } catch (error) {
    throw asDataError(error, named(source.path), "write it with numpy.savez(path, x=..., y=...)");
  }
  return found;
}

async function memberArray(source: Source, member: Member): Promise<{ name: string; array: AnyArray }> {
  const name = member.name.endsWith(ENDING) ? member.name.slice(0, -ENDING.length) : member.name;
  if (name === member.name) throw new DataError(`${named(name)} is not an array`, "store numbers: float32 or float64, integers, or bytes (uint8)");
  return { name, array: arrayIn(await contentOf(source, member), named(name)) };
}

/** Returns whether a zip file holds numpy arrays; others hold folders of files. Throws the errors of membersOf(). */
export async function holdsArrays(source: Source): Promise<boolean> {
  return (await membersOf(source)).some(({ name }) => name.endsWith(ENDING));
}

/** Returns the single number in an array; the default if there is no array. Throws DataError if it has more numbers. */
export function oneNumber(array: AnyArray | undefined, name: string, otherwise: number): number {
  if (array === undefined) return otherwise;
  const value = sizeOf(array.shape) === 1 ? Number(array.data[0]) : NaN;
  if (Number.isFinite(value)) return value;
  throw new DataError(`${name} has the shape [${array.shape.join(", ")}], or is not finite`, `store one number as ${name}`);
}
