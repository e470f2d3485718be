/** Turns files into samples: reads, numbers, converts and scales them. */
import { numbered } from "./classes";
import { datasetOf, type Dataset } from "./dataset";
import { converted } from "./dtypes";
import { loadFiles, type Means } from "./forms";
import type { Loaded } from "./loaded";
import { asDataError } from "./problem";
import { scaled } from "./scaling";
import type { Source } from "./source";
import { named } from "./wording";

/** Returns the samples in files. Throws DataError, or the signal's reason if it ends reading. */
export async function readSamples(files: readonly Source[], means: Means): Promise<Dataset> {
  try {
    const loaded = await loadFiles(files, means);
    const ready = scaled(converted(numbered(loaded, means.reading.classes)), means.reading.scaling);
    return { ...datasetOf(ready), ...columnsOf(loaded) };
  } catch (error) {
    throw asDataError(error, named(files[0]?.path ?? "what was given"), "check the file, and give it again");
  }
}

/** Returns the columns of a table, with the label last. */
function columnsOf({ origins: { x, y } }: Loaded): Pick<Dataset, "columns"> {
  const isTable = x?.kind === "table" && y?.kind === "table" && x.path === y.path;
  return isTable ? { columns: [...x.columns, ...y.columns] } : {};
}
