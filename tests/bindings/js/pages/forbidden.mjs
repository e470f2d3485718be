// What a page's policy forbids is refused by an error that says so.
import { connect, GradmoteError, load } from "../../node_modules/gradmote/dist/gradmote.mjs";

/** Leaves how load() and connect() end. */
export async function reportForbidden() {
  const result = { digest: "of none" };
  for (const [name, open] of Object.entries({ load, connect })) {
    result[name] = await open("/data/step.mote").then(() => "opened", (error) => (error instanceof GradmoteError && error.hint ? error.message : `unclear: ${error}`));
  }
  globalThis.result = result;
}
