import { notice } from "./state";

/** Reports something that was done. */
export function inform(text: string, hint = ""): void {
  notice.value = { kind: "info", text, hint };
}

/** Reports an error: what was wrong, and what to do. */
export function fail(error: unknown): void {
  const { text, hint, message } = error as { text?: string; hint?: string; message?: string };
  notice.value = { kind: "error", text: text ?? message ?? String(error), hint: hint ?? "" };
}

/** Runs an action of the user. If it fails, shows a notice and returns undefined; the page continues. */
export async function attempt<T>(action: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    fail(error);
    return undefined;
  }
}
