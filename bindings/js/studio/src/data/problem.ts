/** The errors of reading: each says what was wrong and what to do. */
import { DataError, GradmoteError } from "gradmote";

import { named } from "./wording";

export { DataError };

/** Returns the error itself where it was thrown on purpose, else a DataError with what a parser or browser said. */
export function asDataError(error: unknown, where: string, hint: string): Error {
  if (error instanceof GradmoteError || isAbort(error)) return error as Error;
  return new DataError(`cannot read ${where} (${said(error)})`, hint);
}

/** Returns whether the user ended what was under way. */
export function isAbort(error: unknown): boolean {
  return (error as Error | undefined)?.name === "AbortError";
}

/** Returns what an error of any kind says, in one line. */
export function said(error: unknown): string {
  const { name = "", message = "" } = (error ?? {}) as Error;
  if (error instanceof RangeError && /allocation|invalid (typed )?array length/i.test(message)) return "there is too little memory";
  return named(message || name || String(error));
}
