import { GradmoteError } from "./errors.js";

/** Returns the error to throw for one of the engine. One that is Gradmote's own stays, and so does an abort. */
export function explained(cause: unknown, text: string, hint: string): Error {
  const { name, message } = cause as Error;
  return cause instanceof GradmoteError || name === "AbortError" ? cause as Error : new GradmoteError(`${text}: ${message}`, hint, { cause });
}
