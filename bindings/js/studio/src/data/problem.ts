/** The errors of reading: each says what was wrong and what to do. */
import { DataError, GradmoteError } from "gradmote";

import { named } from "./wording";

export { DataError };

/** Returns our own errors and aborts as they are; wraps those of a parser or browser in a DataError. */
export function asDataError(error: unknown, where: string, hint: string): Error {
  if (error instanceof GradmoteError || isAbort(error)) return error as Error;
  return new DataError(`cannot read ${where} (${said(error)})`, hint);
}

/** Returns whether an error means that the user stopped the work. */
export function isAbort(error: unknown): boolean {
  return (error as Error | undefined)?.name === "AbortError";
}

/** Returns the message of any kind of error, in one line. */
export function said(error: unknown): string {
  const { name = "", message = "" } = (error ?? {}) as Error;
  if (error instanceof RangeError && /allocation|invalid (typed )?array length/i.test(message)) return "there is too little memory";
  return named(message || name || String(error));
}
