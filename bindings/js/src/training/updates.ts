import { GradmoteError, RuntimeFault, type Session } from "../index.js";
import { ERRORS } from "../generated/errors.js";
import { CONTROL, Header } from "../generated/records.js";

/** How a session computes gradients and applies them. A page steps as in onnxruntime: train, update, reset. */
export interface Updates {
  trainStep(): number;
  optimizerStep(): void;
  lazyResetGrad(): void;
  /** Call this after the parameters were set from elsewhere. */
  replaced(): void;
}

/** Sums gradients, for images compiled with --accumulate. As in onnxruntime, an update applies their sum. */
export function summed(session: Session, image: Uint8Array): Updates {
  const control = new DataView(image.buffer, image.byteOffset).getUint32(Header.controlOffset, true);
  return {
    trainStep: () => session.trainStep(),
    optimizerStep() {
      const { accumulated } = session.control();
      if (accumulated < 2) return session.optimizerStep();
      const state = session.state(), count = new Uint32Array(state.buffer, state.byteOffset + control + 4 * CONTROL.indexOf("accumulated"), 1);
      count[0] = 1; // the runtime divides the sum by it
      try {
        session.optimizerStep();
      } finally {
        if (count[0] === 1) count[0] = accumulated; // a refused update resets it to 0
      }
    },
    lazyResetGrad: () => session.lazyResetGrad(),
    replaced() {},
  };
}

/**
 * Trains an image that has only the program STEP, which computes the gradients of one batch and applies them at once.
 * The new state is set aside until optimizerStep() asks for it.
 */
export function stepped(session: Session): Updates {
  let updated: Uint8Array | undefined, isReset = true;
  return {
    trainStep() {
      if (!isReset) {
        throw new GradmoteError("the image does not accumulate gradients", "call lazyResetGrad() after each update, or compile the model with --accumulate");
      }
      const before = session.state().slice(), loss = session.step(), state = session.state();
      updated = state.slice();
      state.set(before);
      isReset = false;
      return loss;
    },
    optimizerStep() {
      if (!updated) throw new RuntimeFault(ERRORS.NO_GRADIENTS[0], "optimizerStep");
      session.state().set(updated);
      updated = undefined;
    },
    lazyResetGrad() {
      session.lazyResetGrad();
      updated = undefined;
      isReset = true;
    },
    replaced: () => (updated = undefined),
  };
}
