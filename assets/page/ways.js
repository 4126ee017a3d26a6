// Buttons that lead to another room, and there to the part that they speak of.
"use strict";

(() => {
  const MOMENT_MS = 100;
  const MOST_TRIES = 50;

  // The room may still have to be drawn.
  function choose(selector, tries) {
    const button = document.querySelector(selector);
    if (button?.offsetParent) button.click();
    else if (tries) setTimeout(() => choose(selector, tries - 1), MOMENT_MS);
  }

  document.addEventListener("click", (event) => {
    const way = event.target.closest?.("[data-to-room]");
    if (!way) return;
    const { toRoom, toGroup, toPart } = way.dataset;
    utatane.openRoom(toRoom, toPart);
    if (toGroup) choose(`#options [data-group="${toGroup}"]`, MOST_TRIES);
  });
})();
