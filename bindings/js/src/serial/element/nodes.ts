/** What a new node gets: properties, event listeners (onclick), attributes (with a hyphen, or `part` and `role`). */
type Given = Record<string, unknown>;

const ATTRIBUTE = /-|^(part|role|slot|name|points|viewBox|preserveAspectRatio)$/;
const SVG = "http://www.w3.org/2000/svg";

/** Makes an element of the page. */
export function node<K extends keyof HTMLElementTagNameMap>(tag: K, given: Given = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  return filled(made, given, children);
}

/** Makes an element of an SVG drawing. */
export function drawn(tag: string, given: Given, ...children: Node[]): SVGElement {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled<E extends Element>(made: E, given: Given, children: (Node | string)[]): E {
  for (const [name, value] of Object.entries(given)) {
    if (ATTRIBUTE.test(name)) made.setAttribute(name, String(value));
    else (made as unknown as Given)[name] = value;
  }
  made.append(...children);
  return made;
}

/** Makes a button. */
export function button(text: string, onclick: () => unknown, part = "button"): HTMLButtonElement {
  return node("button", { type: "button", onclick, part }, text);
}

/** Makes a list of terms and their values. */
export function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  return node("dl", { part: "facts" }, ...rows.map(([term, value]) => node("div", {}, node("dt", {}, term), node("dd", {}, value))));
}
