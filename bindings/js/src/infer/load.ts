import { opened, type LoadOptions } from "../load.js";
import type { Source } from "../source.js";
import { Inference } from "./inference.js";

/** Opens an image, given as the bytes of a .mote file or its address. Loads the runtime at the same time. */
export function load(image: Source, options?: LoadOptions): Promise<Inference> {
  return opened(image, options, (bytes, runtime) => new Inference(bytes, runtime));
}
