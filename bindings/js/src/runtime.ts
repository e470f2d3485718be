import { GradmoteError } from "./errors.js";
import { explained } from "./explained.js";
import { moduleAddress, moduleName, type Form } from "#platform";
import { isAddress, isResponse, openSource, type Source } from "./source.js";

/** A compiled form of the runtime. You can send it to a worker, and share it among any number of sessions. */
export interface Runtime {
  readonly module: WebAssembly.Module;
  readonly simd: boolean;
}

export interface RuntimeOptions {
  /** false: the plain form, even if the engine has vectors. */
  simd?: boolean;
  /**
   * true: the form that also has int8 instructions and rounds of federated learning. load() and connect() choose it for
   * images that need it.
   */
  int8?: boolean;
  /** The folder of gradmote.wasm and its other forms, or one module: its address, its bytes, or compiled. */
  wasm?: Source | WebAssembly.Module;
}

/** A module with one vector instruction: an engine that validates it runs the simd form. */
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/** Returns whether this engine has WebAssembly's vectors (simd128). */
export function hasSimd(): boolean {
  return WebAssembly.validate(Uint8Array.from(VECTORS));
}

const loading = new Map<string, Promise<Runtime>>();
let newest: Runtime | undefined;

/** Returns the compiled runtime. It is fetched once per address, and then kept. */
export async function loadRuntime(options?: RuntimeOptions): Promise<Runtime> {
  const { wasm, simd: wanted = true, int8 } = options ?? {};
  if (typeof WebAssembly === "undefined") throw new GradmoteError("there is no WebAssembly here", "use another browser");
  const simd = wanted && hasSimd();
  if (wasm instanceof WebAssembly.Module) return remember({ module: wasm, simd });
  const source = wasm === undefined || isFolder(wasm) ? placeOf(`${int8 ? "-int8" : ""}${simd ? "-simd" : ""}`, wasm) : wasm;
  if (!isAddress(source)) return compile(source, simd);
  const key = String(source);
  if (!loading.has(key)) loading.set(key, compile(source, simd));
  return loading.get(key)!.then(remember, (error) => {
    loading.delete(key); // so that a later call tries again
    throw error;
  });
}

/** Returns the last loaded runtime. Throws GradmoteError if none was loaded. */
export function loadedRuntime(): Runtime {
  if (newest) return newest;
  throw new GradmoteError("no runtime is loaded", "await loadRuntime() first, or use load()");
}

function remember(runtime: Runtime): Runtime {
  return (newest = runtime);
}

function isFolder(wasm: Source): wasm is string | URL {
  return isAddress(wasm) && !/\.wasm([?#].*)?$/.test(wasm as string);
}

/** Returns the address of a form: in this file's folder, or in the one that the caller named. */
function placeOf(form: Form, folder?: string | URL): string | URL {
  if (folder === undefined) return moduleAddress(form);
  return `${String(folder).replace(/\/?$/, "/")}${moduleName(form)}`;
}

async function compile(source: Source, simd: boolean): Promise<Runtime> {
  const opened = await openSource(source, "the runtime");
  try {
    return remember({ module: await compiled(opened), simd });
  } catch (cause) {
    const files = `pass the folder of ${moduleName("")} as options.wasm`;
    const hint = /CSP|Policy/.test(String(cause)) ? "add 'wasm-unsafe-eval' to script-src" : files;
    throw explained(cause, "the runtime does not compile", hint);
  }
}

/** Compiles a module, and while its bytes still arrive if the server says that they are WebAssembly. */
async function compiled(opened: Response | Uint8Array): Promise<WebAssembly.Module> {
  if (!isResponse(opened)) return WebAssembly.compile(opened as BufferSource);
  const isTyped = /^application\/wasm\b/.test(opened.headers.get("content-type") ?? "");
  if (isTyped && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(opened);
  return WebAssembly.compile(await opened.arrayBuffer());
}

/** Returns the module of a runtime; returns a module as it is. */
export function moduleOf(runtime: Runtime | WebAssembly.Module): WebAssembly.Module {
  return runtime instanceof WebAssembly.Module ? runtime : runtime?.module;
}
