// A file for an import is dropped anywhere in the room: it stands in the field then, as if it had been chosen.
"use strict";
(() => {
  const field = () => document.getElementById("import-file");

  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!field() || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault(); // also beside the field: a file that is dropped there must not take the page's place
      field().closest("form").classList.toggle("over", kind === "dragover");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      field().files = event.dataTransfer.files;
      field().focus();
    });
  }
})();
