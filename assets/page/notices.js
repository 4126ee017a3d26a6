// Notices stay away once they were dismissed.
"use strict";

(() => {
  function notices(element, watch) {
    const hide = () => {
      const gone = utatane.kept(localStorage, "utatane.dismissed").split("\n");
      for (const row of element.querySelectorAll("[data-notice]")) row.hidden = gone.includes(row.dataset.notice);
    };
    element.addEventListener("click", (event) => {
      const row = event.target.closest('[data-action="dismiss"]')?.closest("[data-notice]");
      if (!row) return;
      const gone = utatane.kept(localStorage, "utatane.dismissed").split("\n").filter(Boolean).slice(-50);
      utatane.keep(localStorage, "utatane.dismissed", [...gone, row.dataset.notice].join("\n"));
      hide();
    });
    watch("value", hide);
    hide();
  }

  Object.assign(utatane, { notices });
})();
