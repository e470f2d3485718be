/** The sources of samples: a pad, the camera, or picture files. */
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

import { chosenFiles } from "../data/dropped";
import type { Look } from "../data/look";
import { centred } from "../data/pictures/drawing";
import { decodeByCanvas, openPicture } from "../data/pictures/images";
import type { Picture } from "../data/pictures/pixels";
import { sampleOf } from "../data/look";
import { Thumbnail } from "../data/thumbnail";
import { attempt, fail } from "../notice";
import { GradmoteError } from "gradmote";
import { Camera } from "./camera";
import { current, levels, sampleFrom } from "./lessons";
import { Pad } from "./pad";

export const SOURCES = { pad: "Draw", camera: "Camera", files: "Files" } as const;
export type SourceName = keyof typeof SOURCES;

/** The current source. */
export const source = signal<SourceName>("pad");
/** A different number empties the pad. */
const cleared = signal(0);
const centres = signal(true);

/** Milliseconds between two captures from the camera. */
export const LOOK = 100;

/** Empties the pad. */
export function clearPad(): void {
  cleared.value++;
  current.value = null;
}

export function SourceCard({ look }: { look: Look }) {
  const choose = (name: SourceName) => {
    source.value = name;
    current.value = null;
  };
  return (
    <section class="card source" aria-labelledby="source-title">
      <h3 id="source-title">Samples from</h3>
      <div class="segments" role="radiogroup" aria-labelledby="source-title">
        {(Object.keys(SOURCES) as SourceName[]).map((name) => (
          <label key={name}>
            <input class="unseen" type="radio" name="source" checked={source.value === name} onChange={() => choose(name)} />
            <span>{SOURCES[name]}</span>
          </label>
        ))}
      </div>
      {source.value === "pad" && <Drawing look={look} />}
      {source.value === "camera" && <Looking look={look} />}
      {source.value === "files" && <LookedAt look={look} />}
      <Seen look={look} />
    </section>
  );
}

/** The sample as the model receives it. */
function Seen({ look }: { look: Look }) {
  if (!current.value) return null;
  return (
    <div class="seen">
      <Thumbnail sample={current.value} look={look} {...levels()} label="The sample as the model gets it" />
      <span class="small soft">{look.width} x {look.height}, as the model gets it</span>
    </div>
  );
}

// ---- The pad ------------------------------------------------------------------------------------------------------

function Drawing({ look }: { look: Look }) {
  const take = (drawing: Picture) => {
    current.value = centres.value ? centredSample(drawing, look) : sampleFrom(drawing, look);
  };
  return (
    <>
      <Pad onDraw={take} cleared={cleared.value} />
      <div class="row">
        <button type="button" onClick={clearPad}>Clear</button>
        <label class="check">
          <input type="checkbox" checked={centres.value} onChange={(event) => (centres.value = event.currentTarget.checked)} />
          Centre the drawing
        </label>
      </div>
    </>
  );
}

function centredSample(drawing: Picture, look: Look): Float32Array | null {
  const bytes = centred(drawing, look.width, look.height), { least, largest } = levels();
  if (!bytes) return null;
  const wide = look.channels === 1 ? bytes : Uint8Array.from({ length: 3 * bytes.length }, (_, at) => bytes[Math.floor(at / 3)]!);
  return sampleOf(wide, look, least, largest);
}

// ---- The camera ---------------------------------------------------------------------------------------------------

function Looking({ look }: { look: Look }) {
  const [camera, setCamera] = useState<Camera | null>(null), place = useRef<HTMLDivElement>(null);
  const lost = () => {
    setCamera(null);
    fail(new GradmoteError("the camera was unplugged, or taken away", "plug it in, and start it again"));
  };
  useEffect(() => {
    if (!camera) return;
    place.current?.replaceChildren(camera.video);
    const timer = setInterval(() => {
      const square = camera.square();
      if (square) current.value = sampleFrom(square, look);
    }, LOOK);
    return () => {
      clearInterval(timer);
      camera.close();
      current.value = null;
    };
  }, [camera, look]);
  return (
    <>
      <div class="pad view" ref={place} />
      <button type="button" onClick={() => (camera ? setCamera(null) : void attempt(async () => setCamera(await Camera.open(lost))))}>
        {camera ? "Stop the camera" : "Start the camera"}
      </button>
    </>
  );
}

// ---- Files --------------------------------------------------------------------------------------------------------

/** Returns the pictures in files as samples. Throws DataError, which names the file. */
export async function samplesIn(files: Iterable<File>, look: Look): Promise<Float32Array[]> {
  const found: Float32Array[] = [];
  for (const file of chosenFiles(files)) found.push(sampleFrom(await openPicture(file, {}, decodeByCanvas), look));
  return found;
}

function LookedAt({ look }: { look: Look }) {
  return (
    <>
      <p class="small soft">Each class takes pictures from files. Here you can look at one picture without recording it.</p>
      <PictureButton label="Look at a picture" onFiles={async (files) => void (current.value = (await samplesIn(files, look))[0] ?? null)} />
    </>
  );
}

interface PictureButtonProps {
  label: string;
  multiple?: boolean;
  onFiles: (files: File[]) => Promise<void>;
}

/** A button to choose pictures. */
export function PictureButton({ label, multiple = false, onFiles }: PictureButtonProps) {
  const pick = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement, files = [...(input.files ?? [])];
    input.value = ""; // so that the user can choose the same file again
    if (files.length) void attempt(() => onFiles(files));
  };
  return (
    <label class="button picker">
      <input class="unseen" type="file" accept=".png,.jpg,.jpeg" multiple={multiple} onChange={pick} />
      {label}
    </label>
  );
}
