// Unsaved changes: asked about before anything that would lose them.
"use strict";

(() => {
  const dirty = new Set();
  const written = new Map(); // how often something was written in an editor
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
    if (!editor || !event.isTrusted) return;
    written.set(editor.id, (written.get(editor.id) || 0) + 1);
    markDirty(editor.id, true);
  });
  function markDirty(id, is) {
    if (is) dirty.add(id);
    else dirty.delete(id);
    document.getElementById(id)?.classList.toggle("unsaved", is);
    window.pywebview?.api?.ask_before_closing?.(isDirty()); // a window of its own asks for itself (ui/window.py)
  }

  // An editor's state as the server knows it: whatever it shows is saved, but for what was written since that was asked.
  function editorState(element, editor, watch) {
    let saving = 0;
    element.closest(".room")?.addEventListener("click", (event) => {
      if (event.target.closest("button")) saving = written.get(editor);
    }, true);
    watch("value", () => {
      const isNewer = Boolean(element.querySelector("[data-saved]")) && saving !== written.get(editor);
      markDirty(editor, isNewer || Boolean(element.querySelector("[data-unsaved]")));
    });
  }

  Object.assign(utatane, { isDirty, markDirty, editorState });
})();
