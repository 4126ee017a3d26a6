// What is dropped anywhere in the room is for an import. Files stand in the field then, as if they had been chosen; what is
// in folders goes along with the form, each file under its path, for no field takes it.
(() => {
  const field = () => document.getElementById("import-file");
  let held = []; // files and their paths

  const told = (ask) => new Promise(ask);
  async function hold(entry) {
    if (entry.isFile) return held.push([await told((one, none) => entry.file(one, none)), entry.fullPath.slice(1)]);
    const reader = entry.createReader();
    let some; // of what is in it: a browser tells a hundred at a time
    while ((some = await told((all, none) => reader.readEntries(all, none))).length) for (const one of some) await hold(one);
  }

  utatane.onDrop(() => field()?.form, async (files, { items }) => {
    const entries = [...items].map((one) => one.webkitGetAsEntry()).filter(Boolean);
    held = [];
    field().files = files;
    field().focus();
    if (!entries.some((one) => one.isDirectory)) return;
    field().value = "";
    for (const one of entries) await hold(one);
    utatane.tell(field().dataset.dropped.replace("{count}", held.length));
  });
  on("formdata", ({ target, formData }) => {
    if (target.id === "import-source" && !field().value) for (const [file, path] of held) formData.append("file", file, path);
  });
})();
