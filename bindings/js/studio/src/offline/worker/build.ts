// The files of the page. The build writes this list into offline.js, so that each version has a different worker.

interface Build {
  /** The path of each file, relative to the page, and its hash in the form of `integrity`. */
  files: [path: string, integrity: string][];
}

declare const BUILD: Build;

/** The hash of each file by its path. */
export const FILES: ReadonlyMap<string, string> = new Map(BUILD.files);
