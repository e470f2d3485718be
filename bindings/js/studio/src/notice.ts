import { notice } from "./state";

/** Tells of something that was done. */
export function inform(text: string, hint = ""): void {
  notice.value = { kind: "info", text, hint };
}

/** Tells of an error: what was wrong, and what to do. */
export function fail(error: unknown): void {
  const { text, hint, message } = error as { text?: string; hint?: string; message?: string };
  notice.value = { kind: "error", text: text ?? message ?? String(error), hint: hint ?? "" };
}

/** Runs an action of the user. Where it fails, the notice says so, the page goes on, and undefined is returned. */
export async function attempt<T>(action: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    fail(error);
    return undefined;
  }
}
