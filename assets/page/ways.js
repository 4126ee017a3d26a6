// Buttons that lead to another room, and there to the part that they speak of.
"use strict";

(() => {
  document.addEventListener("click", (event) => {
    const way = event.target.closest?.("[data-to-room]");
    if (!way) return;
    const { toRoom, toGroup, toPart } = way.dataset;
    utatane.openRoom(toRoom, toPart);
    if (toGroup) utatane.arrival(`#options [data-group="${toGroup}"]`).then((button) => button?.click());
  });
})();
