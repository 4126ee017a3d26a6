// Folds whose inside is fetched when they are opened: why an answer, what a change changed.
"use strict";

(() => {
  document.addEventListener("toggle", async (event) => {
    const fold = event.target;
    if (!fold.open || !fold.dataset?.fetch || fold.dataset.filled) return;
    fold.dataset.filled = "yes";
    const answer = await fetch(fold.dataset.fetch).catch(() => null);
    if (answer?.ok) fold.querySelector(".fetched").innerHTML = await answer.text();
    else delete fold.dataset.filled;
  }, true);
})();
