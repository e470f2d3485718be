import { ERRORS, type ErrorName } from "./generated/errors.js";

/** The base of all errors that Gradmote throws on purpose. `hint` says what would help. */
export class GradmoteError extends Error {
  override readonly name: string = "GradmoteError";
  /** What was wrong, without the hint. */
  readonly text: string;
  readonly hint: string;

  constructor(text: string, hint = "", options?: { cause?: unknown }) {
    super(hint ? `${text} - ${hint}` : text, options);
    this.text = text;
    this.hint = hint;
  }
}

/** An array has the wrong type, length or range. */
export class DataError extends GradmoteError {
  override readonly name: string = "DataError";
}

/** The runtime refused a call. The state is unchanged. */
export class RuntimeFault extends GradmoteError {
  override readonly name: string = "RuntimeFault";
  /** The code of runtime_c/spec/errors.toml, below 0. */
  readonly code: number;
  /** The name of the code, such as "NOT_FINITE". */
  readonly error: ErrorName | "UNKNOWN";

  constructor(code: number, where: string) {
    const found = Object.entries(ERRORS).find(([, [number]]) => number === code);
    const [error, [, text, hint]] = found ?? ["UNKNOWN", [code, `unknown error code ${code}`]];
    super(`${where}: ${text} (GM_ERR_${error}, ${code})`, hint);
    this.code = code;
    this.error = error as ErrorName | "UNKNOWN";
  }
}

/** Throws RuntimeFault if a function of the runtime returned a negative code; otherwise returns the code. */
export function check(code: number, where: string): number {
  if (code < 0) throw new RuntimeFault(code, where);
  return code;
}
