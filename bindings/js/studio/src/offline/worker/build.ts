// What the page is made of. The build writes this list (offline.mjs), so that each version has a worker of its own.

interface Build {
  /** The path of each file from the page, and its hash as `integrity` takes it. */
  files: [path: string, integrity: string][];
}

declare const BUILD: Build;

/** The hash of each file by its path. */
export const FILES: ReadonlyMap<string, string> = new Map(BUILD.files);
