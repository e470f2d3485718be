import { GradmoteError } from "./errors.js";

/** Wraps an error of the engine in a GradmoteError. Returns Gradmote's own errors and aborts as they are. */
export function explained(cause: unknown, text: string, hint: string): Error {
  const { name, message } = cause as Error;
  return cause instanceof GradmoteError || name === "AbortError" ? cause as Error : new GradmoteError(`${text}: ${message}`, hint, { cause });
}
