// A file for an import is dropped anywhere in the room: it stands in the field then, as if it had been chosen.
(() => {
  const field = () => document.getElementById("import-file");
  utatane.onDrop(() => field()?.closest("form"), (files) => {
    field().files = files;
    field().focus();
  });
})();
