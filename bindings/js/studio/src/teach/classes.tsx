/** The classes, each with its samples and a button to record more. */
import { useEffect, useState } from "preact/hooks";

import type { Look } from "../data/look";
import { Thumbnail } from "../data/thumbnail";
import type { Lesson } from "./lesson";
import { addClass, current, drop, known, lessons, levels, MOST, record, removeClass, rename } from "./lessons";
import { clearPad, LOOK, PictureButton, samplesIn, source } from "./source";

/** The number of samples to show of a class. */
const SHOWN = 18;

export function Classes({ look, most }: { look: Look; most: number }) {
  return (
    <section class="taught" aria-label="Classes">
      {lessons.value.map((lesson, number) => <Class key={number} lesson={lesson} number={number} look={look} />)}
      <button type="button" disabled={lessons.value.length >= most} onClick={addClass}>Add a class</button>
      {lessons.value.length >= most && <p class="small soft">The model distinguishes {most} classes.</p>}
    </section>
  );
}

interface ClassProps {
  lesson: Lesson;
  number: number;
  look: Look;
}

function Class({ lesson: { name, samples }, number, look }: ClassProps) {
  const right = known.value?.[number];
  return (
    <section class="card class" aria-label={name}>
      <div class="row spread">
        <input class="name" aria-label={`Name of class ${number + 1}`} value={name} onInput={(event) => rename(number, event.currentTarget.value)} />
        <output class="soft count">{samples.length} samples{right !== undefined && `, ${right} known`}</output>
      </div>
      <div class="row">
        {source.value === "pad" && <AddDrawing number={number} />}
        {source.value === "camera" && <Hold number={number} />}
        {source.value === "files" && <PictureButton label="Add pictures" multiple onFiles={async (files) => record(number, ...(await samplesIn(files, look)))} />}
        <button type="button" class="quiet" disabled={!samples.length} onClick={() => drop(number)}>Drop all</button>
        {lessons.value.length > 2 && <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={() => removeClass(number)}>Remove</button>}
      </div>
      <Recorded samples={samples} number={number} look={look} name={name} />
    </section>
  );
}

function Recorded({ samples, number, look, name }: Pick<Lesson, "samples" | "name"> & { number: number; look: Look }) {
  const first = Math.max(0, samples.length - SHOWN);
  if (!samples.length) return null;
  return (
    <ul class="recorded">
      {first > 0 && <li class="small soft">and {first} more</li>}
      {samples.slice(first).map((sample, at) => (
        <li key={first + at}>
          <button type="button" title="Drop this sample" aria-label={`Drop sample ${first + at + 1} of ${name}`} onClick={() => drop(number, first + at)}>
            <Thumbnail sample={sample} look={look} {...levels()} label="" />
          </button>
        </li>
      ))}
    </ul>
  );
}

// ---- Recording ----------------------------------------------------------------------------------------------------

function AddDrawing({ number }: { number: number }) {
  const add = () => {
    if (current.value) record(number, current.value);
    clearPad();
  };
  return <button type="button" class="primary" disabled={!current.value} onClick={add}>Add the drawing</button>;
}

/** Records what the camera sees while the button is held; with the keyboard, a key press starts and stops it. */
function Hold({ number }: { number: number }) {
  const [isOn, setOn] = useState(false), isSeen = current.value !== null;
  useEffect(() => {
    if (!isOn || !isSeen) return setOn(false);
    const take = () => current.value && record(number, current.value);
    take();
    const timer = setInterval(take, LOOK);
    return () => clearInterval(timer);
  }, [isOn, isSeen, number]);
  const key = (event: KeyboardEvent) => {
    if ((event.key !== "Enter" && event.key !== " ") || event.repeat) return;
    event.preventDefault();
    setOn(!isOn);
  };
  const hold = (event: PointerEvent) => {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    setOn(true);
  };
  const isFull = (lessons.value[number]?.samples.length ?? 0) >= MOST;
  return (
    <button
      type="button"
      class="primary hold"
      disabled={!isSeen || isFull}
      aria-pressed={isOn}
      onPointerDown={hold}
      onPointerUp={() => setOn(false)}
      onPointerCancel={() => setOn(false)}
      onKeyDown={key}
      onContextMenu={(event) => event.preventDefault()}
    >
      {isOn ? "Recording" : "Hold to record"}
    </button>
  );
}
