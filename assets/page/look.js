// Light, dark, or as the system has it.
"use strict";

(() => {
  function applyLook() {
    const look = utatane.kept(localStorage, "utatane.look") || "auto";
    const dark = look === "dark" || (look === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.body.classList.toggle("dark", dark);
    const bar = document.querySelector('meta[name="theme-color"]');
    if (bar) bar.content = dark ? bar.dataset.dark : (bar.dataset.light ??= bar.content);
    document.documentElement.style.colorScheme = dark ? "dark" : "light";
    for (const button of document.querySelectorAll("button[data-look]")) {
      button.setAttribute("aria-pressed", String(button.dataset.look === look));
    }
  }
  function look(element) {
    element.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-look]");
      if (!button) return;
      utatane.keep(localStorage, "utatane.look", button.dataset.look);
      applyLook();
    });
    applyLook();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyLook);
  }

  Object.assign(utatane, { look });
})();
