// The compiler's worker: Python by Pyodide, with Gradmote's own package. It answers one request after another.

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

/** Calls a function of bridge.py by its name, with bytes and texts, and returns the same. */
type Attempt = (call: string, values: unknown[]) => { value?: Record<string, unknown>; failure?: Failure };

let attempt: Promise<Attempt> | undefined;

scope.onmessage = async ({ data: request }) => {
  const { id } = request;
  try {
    const call = await (attempt ??= begin());
    const { value, failure } = "load" in request ? { value: {} } : call(request.call, request.values);
    if (failure) return scope.postMessage({ id, failure });
    const buffers = Object.values(value!).filter((part) => part instanceof Uint8Array);
    scope.postMessage({ id, value }, buffers.map((part) => part.buffer));
  } catch (error) {
    scope.postMessage({ id, failure: fatal(error) });
  }
};

/** Loads Python and the compiler, and returns the function that calls it. */
async function begin(): Promise<Attempt> {
  const python = await loadPython(tell);
  tell("Starting the compiler");
  python.registerJsModule("gradmote_page", { tell, open_image: await inference() });
  const module = python.runPython(`${bridge}\nattempt`) as ReturnType<Python["runPython"]>;
  return (call, values) => {
    const answer = module(call, values);
    try {
      return answer.toJs({ dict_converter: Object.fromEntries });
    } finally {
      answer.destroy();
    }
  };
}

function tell(progress: string): void {
  scope.postMessage({ progress });
}

/** Describes what bridge.py could not catch: a file that cannot be had, or an interpreter that has crashed. */
function fatal(error: unknown): Failure {
  if (error instanceof GradmoteError) return { text: error.text, hint: error.hint, fatal: true };
  const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
  return {
    text: `the compiler in the page has crashed: ${reason}`,
    hint: "try again, which starts it anew; compile large models with `gradmote compile`",
    fatal: true,
  };
}
