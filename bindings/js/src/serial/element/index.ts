/** <gradmote-board>: importing this file defines the element. */
import { GradmoteBoard } from "./element.js";

export { GradmoteBoard } from "./element.js";
export type { BoardState, StateDetail } from "./host.js";
export type { FlashHelp, Manifest } from "./manifest.js";

if (globalThis.customElements && !customElements.get("gradmote-board")) customElements.define("gradmote-board", GradmoteBoard);

declare global {
  interface HTMLElementTagNameMap {
    "gradmote-board": GradmoteBoard;
  }
}
