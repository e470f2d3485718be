import { GradmoteError, readSource } from "../../index.js";
import type { PortFilter } from "../index.js";

/** How to put the firmware on one kind of bare board. */
export interface FlashHelp {
  /** The kind of board. */
  board: string;
  /** The UF2 file for the board's drive, or the page of its flashing tools. */
  href: string;
  /** What to do with it. */
  text?: string;
}

/** What an element offers, as in the file that its attribute `manifest` names. */
export interface Manifest {
  /** The model's name. */
  name?: string;
  version?: string;
  /** The address of the .mote image, relative to the manifest. */
  image?: string;
  /** The ports to choose from. */
  filters?: PortFilter[];
  flash?: FlashHelp[];
}

/** Reads a manifest. Throws GradmoteError if it is missing or not valid. */
export async function readManifest(address: string): Promise<Manifest> {
  const base = new URL(address, document.baseURI);
  const text = new TextDecoder().decode(await readSource(base, "the manifest"));
  try {
    const manifest = JSON.parse(text) as Manifest;
    const absolute = (path: string) => new URL(path, base).href;
    return {
      ...manifest,
      ...(manifest.image && { image: absolute(manifest.image) }),
      flash: (manifest.flash ?? []).map((help) => ({ ...help, href: absolute(help.href) })),
    };
  } catch (cause) {
    throw new GradmoteError(`${base} is not a manifest`, 'write JSON such as {"name": "Digits", "image": "digits.mote"}', { cause });
  }
}
