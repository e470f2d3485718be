import { GradmoteError, readSource } from "../../index.js";
import type { PortFilter } from "../index.js";

/** How a bare board of some kind gets the firmware. */
export interface FlashHelp {
  /** The kind of board. */
  board: string;
  /** The file of its UF2 drive, or the page of its tools. */
  href: string;
  /** What to do with it. */
  text?: string;
}

/** What an element offers: the file that its attribute `manifest` names. */
export interface Manifest {
  /** What the model is called. */
  name?: string;
  version?: string;
  /** The address of the .mote image, from the manifest on. */
  image?: string;
  /** Which ports may be chosen. */
  filters?: PortFilter[];
  flash?: FlashHelp[];
}

/** Reads a manifest. Throws GradmoteError where it is not there, or is none. */
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
    throw new GradmoteError(`${base} is no manifest`, 'write JSON such as {"name": "Digits", "image": "digits.mote"}', { cause });
  }
}
