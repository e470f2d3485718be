/** Turns a drawing into a sample, as MNIST did with digits: cut out, scaled down, centre of mass in the middle. */
import { gray, resized, type Picture } from "./pixels";

/** The share of a picture's side that a drawing takes: 20 of 28 pixels in MNIST, and all of very small pictures. */
const PART = 20 / 28;
const SMALL_SIDE = 12;
/** Pixels of at least this value are ink. */
const INK = 16;

/** The box around the ink of a picture; `right` and `bottom` are exclusive. */
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Returns gray bytes, (height, width), for light ink on black; null if nothing is drawn. */
export function centred(drawing: Picture, width: number, height: number): Uint8Array | null {
  const ink = gray(drawing), box = boxOf(ink);
  if (!box) return null;
  const side = Math.min(width, height), room = side <= SMALL_SIDE ? side : Math.round(side * PART);
  const cut = cutOut(ink, box), scale = room / Math.max(cut.width, cut.height);
  const small = resized(cut, Math.max(1, Math.round(cut.width * scale)), Math.max(1, Math.round(cut.height * scale)));
  return laid(small, width, height);
}

function boxOf({ width, height, data }: Picture): Box | null {
  const box = { left: width, top: height, right: 0, bottom: 0 };
  for (let at = 0; at < data.length; at++) {
    if (data[at]! < INK) continue;
    const column = at % width, row = (at - column) / width;
    box.left = Math.min(box.left, column);
    box.right = Math.max(box.right, column + 1);
    box.top = Math.min(box.top, row);
    box.bottom = Math.max(box.bottom, row + 1);
  }
  return box.right > box.left ? box : null;
}

function cutOut({ width, data }: Picture, { left, top, right, bottom }: Box): Picture {
  const found = new Uint8Array((right - left) * (bottom - top));
  for (let row = top; row < bottom; row++) found.set(data.subarray(row * width + left, row * width + right), (row - top) * (right - left));
  return { width: right - left, height: bottom - top, channels: 1, data: found };
}

/** Returns the small drawing on black, with its centre of mass in the middle as far as the picture has room. */
function laid({ width, height, data }: Picture, wide: number, high: number): Uint8Array {
  const found = new Uint8Array(wide * high), [across, down] = centreOf(width, data);
  const left = clamped(Math.round((wide - 1) / 2 - across), wide - width), top = clamped(Math.round((high - 1) / 2 - down), high - height);
  for (let row = 0; row < height; row++) found.set(data.subarray(row * width, (row + 1) * width), (top + row) * wide + left);
  return found;
}

function clamped(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

function centreOf(width: number, data: Picture["data"]): [number, number] {
  let [sum, across, down] = [0, 0, 0];
  for (let at = 0; at < data.length; at++) {
    sum += data[at]!;
    across += data[at]! * (at % width);
    down += data[at]! * Math.floor(at / width);
  }
  return [across / sum, down / sum];
}
