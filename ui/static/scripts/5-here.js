// Choices that only change what this page shows: its address changes, the page stays; and where the focus is then.
(() => {
  // --- a link with `data-here` shows another part of the same room, without leaving it
  on("click", async (event) => {
    const link = event.target.closest?.("a[data-here]");
    if (!link || event.defaultPrevented || event.button || event.shiftKey || utatane.modified(event)) return;
    const address = link.getAttribute("href");
    event.preventDefault();
    history.pushState(null, "", address);
    if (!(await utatane.refresh())) location.assign(address);
  });

  // --- whose button is gone after it was pressed goes on with the next one there
  const KEPT_MS = 10_000;
  let pressed = null;
  on("submit", (event) => {
    const place = event.target.closest("section, details");
    const buttons = [...(place?.querySelectorAll("button") ?? [])];
    pressed = event.submitter && place && { place, at: buttons.indexOf(event.submitter), since: Date.now() };
  });
  on("utatane:swapped", () => {
    if (!pressed || document.activeElement !== document.body || Date.now() - pressed.since > KEPT_MS) return;
    const buttons = [...pressed.place.querySelectorAll("button")].filter((one) => one.checkVisibility());
    (buttons[Math.min(pressed.at, buttons.length - 1)] ?? document.getElementById("room")).focus({ preventScroll: true });
    pressed = null;
  });

  // --- what moves with time alone is looked at again: every `data-again` seconds, while somebody sees it
  let last = Date.now();
  setInterval(() => {
    const seconds = Number(document.querySelector("[data-again]")?.dataset.again);
    if (!seconds || document.hidden || Date.now() - last < seconds * 1_000) return;
    last = Date.now();
    utatane.refresh();
  }, 5_000);

  // --- in a row that goes on beyond the edge, where one is stands in sight
  utatane.always(() => {
    for (const row of document.querySelectorAll("#rooms, .beside .pages")) {
      const here = row.querySelector("[aria-current]")?.getBoundingClientRect();
      const all = row.getBoundingClientRect();
      if (here) row.scrollLeft += here.left - all.left - (all.width - here.width) / 2;
    }
  });

  // --- a menu closes when one clicks beside it, or presses Escape
  const closeMenus = (but) => {
    const open = [...document.querySelectorAll("details[data-menu][open]")].filter((menu) => !menu.contains(but));
    for (const menu of open) menu.open = false;
    return open.at(-1);
  };
  on("click", (event) => closeMenus(event.target.closest?.("[download]") ? null : event.target));
  on("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null)?.querySelector("summary").focus();
  });
})();
