// Unsaved changes: asked about before anything that would lose them.
"use strict";

(() => {
  const dirty = new Set();
  const isDirty = () => dirty.size > 0;
  window.addEventListener("beforeunload", (event) => {
    if (isDirty()) event.preventDefault();
  });
  document.addEventListener("click", async (event) => {
    const leaving = event.target.closest?.('#rooms [role="tab"], #rail [data-persona], a[data-language], .guarded :is(label, [data-action])');
    if (!leaving || !isDirty() || leaving.matches('[aria-selected="true"], .selected')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (await utatane.ask(utatane.texts().unsaved, utatane.texts().leave)) {
      dirty.clear();
      leaving.click();
    }
  }, true);
  document.addEventListener("input", (event) => {
    const editor = event.target.closest?.("[data-editor], .editor");
    if (editor && event.isTrusted) markDirty(editor.id, true);
  });
  function markDirty(id, is) {
    if (is) dirty.add(id);
    else dirty.delete(id);
    document.getElementById(id)?.classList.toggle("unsaved", is);
    window.pywebview?.api?.ask_before_closing?.(isDirty()); // a window of its own asks for itself (ui/window.py)
  }

  // An editor's state as the server knows it: whatever it shows is saved.
  function editorState(element, editor, watch) {
    watch("value", () => markDirty(editor, Boolean(element.querySelector("[data-unsaved]"))));
  }

  Object.assign(utatane, { isDirty, markDirty, editorState });
})();
