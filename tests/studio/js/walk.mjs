// The keyboard: Tab reaches every control of what shows, and comes round; each control shows that it has the focus, in the
// window.

/**
 * Marks every control that can be reached with a number that it keeps, and returns the numbers. Of a group of radio
 * buttons Tab reaches one.
 */
function mark(page) {
  return page.evaluate(() => {
    const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
    const groups = new Set(), marks = [];
    globalThis.walked ??= 0;
    for (const control of document.querySelectorAll(controls)) {
      const shown = control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]");
      if (!shown || control.disabled || control.tabIndex < 0) continue;
      if (control.type === "radio" && groups.has(control.name)) continue;
      if (control.type === "radio") groups.add(control.name);
      control.dataset.walk ??= String(globalThis.walked++);
      marks.push(control.dataset.walk);
    }
    return marks;
  });
}

/** Describes what has the focus: its mark, its name, and whether it can be seen to have it. */
function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const group = element.type === "radio" ? document.querySelector(`input[name="${element.name}"][data-walk]`) : element;
    const box = element.getBoundingClientRect();
    const inside = box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
    const ring = (one) => one && (getComputedStyle(one).outlineStyle !== "none" || getComputedStyle(one).boxShadow !== "none");
    const label = element.labels?.[0] ?? element.parentElement;
    return { mark: group?.dataset.walk, name: element.outerHTML.slice(0, 120), seen: inside && (ring(element) || ring(label)) };
  });
}

/** Goes through the page forwards and backwards. */
export async function walkThrough(page) {
  return { forth: await walk(page, "Tab"), back: await walk(page, "Shift+Tab") };
}

/**
 * Presses a key until the focus comes round; returns what was missed, or could not be seen to have it. While controls
 * come and go, as when something is read that the page shows later, nothing can be said: then it goes round again.
 */
async function walk(page, key) {
  for (let before = await mark(page), after; ; before = after) {
    const { reached, unseen } = await round(page, key, before.length);
    after = await mark(page);
    if (after.join() !== before.join()) continue;
    const missed = after.filter((control) => !reached.has(control));
    return { count: after.length, missed: await Promise.all(missed.map((control) => named(page, control))), unseen };
  }
}

/** Returns the marks of what gets the focus until it comes round, and the names of what cannot be seen to have it. */
async function round(page, key, count) {
  const reached = new Set(), unseen = [];
  for (let presses = 0, last; presses < 2 * count + 10; presses += 1) {
    await page.keyboard.press(key);
    const at = await focused(page);
    if (at === null || at.mark === last) continue; // the document itself, or another part of the same control
    if (reached.has(at.mark)) break;
    reached.add((last = at.mark));
    if (!at.seen) unseen.push(at.name);
  }
  return { reached, unseen };
}

function named(page, control) {
  return page.locator(`[data-walk="${control}"]`).evaluate((element) => element.outerHTML.slice(0, 120));
}
