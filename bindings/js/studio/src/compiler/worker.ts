// The compiler's worker: Python in Pyodide, with Gradmote's own package. It answers one request at a time.

import { GradmoteError } from "gradmote";
import bridge from "./bridge.py";
import type { Failure, Reply, Request } from "./messages";
import { loadPython, type Python } from "./python";
import { inference } from "./inference";

interface Scope {
  postMessage(message: Reply, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
}
const scope = globalThis as unknown as Scope;

interface Compiler {
  /** Calls a function of bridge.py by its name. Arguments and results are bytes and texts. */
  attempt(call: string, values: unknown[]): { value?: Record<string, unknown>; failure?: Failure };
  /** Keeps what makes the next start faster. */
  keep(): Promise<void>;
}

let compiler: Promise<Compiler> | undefined;

scope.onmessage = async ({ data: request }) => {
  const { id } = request;
  try {
    const { attempt, keep } = await (compiler ??= begin());
    const { value, failure } = "load" in request ? { value: {} } : attempt(request.call, request.values);
    if (failure) return scope.postMessage({ id, failure });
    const buffers = Object.values(value!).filter((part) => part instanceof Uint8Array);
    scope.postMessage({ id, value }, buffers.map((part) => part.buffer));
    if ("call" in request) later(keep);
  } catch (error) {
    scope.postMessage({ id, failure: fatal(error) });
  }
};

/** Does work that nothing waits for. It may fail, as when a browser has no room. */
function later(work: () => Promise<void>): void {
  setTimeout(() => void work().catch(() => undefined), 1000);
}

/** Loads Python and the compiler. */
async function begin(): Promise<Compiler> {
  const { python, keep } = await loadPython(tell);
  tell("Starting the compiler");
  python.registerJsModule("gradmote_page", { tell, open_image: await inference() });
  const module = python.runPython(`${bridge}\nattempt`) as ReturnType<Python["runPython"]>;
  const attempt: Compiler["attempt"] = (call, values) => {
    const answer = module(call, values);
    try {
      return answer.toJs({ dict_converter: Object.fromEntries });
    } finally {
      answer.destroy();
    }
  };
  return { attempt, keep };
}

function tell(progress: string): void {
  scope.postMessage({ progress });
}

/** Describes an error that bridge.py could not catch: a file that cannot be loaded, or a crashed interpreter. */
function fatal(error: unknown): Failure {
  if (error instanceof GradmoteError) return { text: error.text, hint: error.hint, fatal: true };
  const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
  return {
    text: `the compiler in the page has crashed: ${reason}`,
    hint: "try again, which restarts it; compile large models with `gradmote compile`",
    fatal: true,
  };
}
