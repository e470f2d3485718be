// The keyboard: Tab reaches every control of what shows, and comes round; each control shows that it has the focus, in the
// window.

/** Marks every control that can be reached, and returns their number. Of a group of radio buttons Tab reaches one. */
function mark(page) {
  return page.evaluate(() => {
    const controls = "a[href], button, input, select, textarea, summary, [tabindex]";
    const groups = new Set();
    let count = 0;
    for (const old of document.querySelectorAll("[data-walk]")) old.removeAttribute("data-walk");
    for (const control of document.querySelectorAll(controls)) {
      const shown = control.checkVisibility({ visibilityProperty: true }) && !control.closest("[inert]");
      if (!shown || control.disabled || control.tabIndex < 0) continue;
      if (control.type === "radio" && groups.has(control.name)) continue;
      if (control.type === "radio") groups.add(control.name);
      control.dataset.walk = String(count++);
    }
    return count;
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

/** Goes through the page forwards and backwards, once it shows all that it is about to, and focuses nothing itself. */
export async function walkThrough(page) {
  const now = async () => `${await mark(page)} ${JSON.stringify(await focused(page))}`;
  for (let before = "", next = await now(); next !== before; next = await now()) {
    before = next;
    await page.waitForTimeout(200);
  }
  return { forth: await walk(page, "Tab"), back: await walk(page, "Shift+Tab") };
}

/** Presses a key until the focus comes round; returns what was missed, or could not be seen to have it. */
async function walk(page, key) {
  const count = await mark(page), reached = new Set(), unseen = [];
  for (let presses = 0, last; presses < 2 * count + 10; presses += 1) {
    await page.keyboard.press(key);
    const at = await focused(page);
    if (at === null || at.mark === last) continue; // the document itself, or another part of the same control
    if (reached.has(at.mark)) break;
    reached.add((last = at.mark));
    if (!at.seen) unseen.push(at.name);
  }
  const missed = await page.evaluate(
    (marks) =>
      [...document.querySelectorAll("[data-walk]")]
        .filter((control) => !marks.includes(control.dataset.walk))
        .map((control) => control.outerHTML.slice(0, 120)),
    [...reached],
  );
  return { count, missed, unseen };
}
