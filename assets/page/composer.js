// Where one writes.
"use strict";

(() => {
  // Enter that confirms a conversion is none; the keyboard's own script knows what else was chosen.
  const isSending = (event) => utatane.sends?.(event) ?? (event.key === "Enter" && !event.shiftKey && !utatane.composing(event));

  function composer(element, trigger, props, upload, watch) {
    const area = element.querySelector("textarea");
    const picker = element.querySelector('input[type="file"]');
    const tray = element.querySelector(".tray");
    const send = element.querySelector(".send");
    const stop = element.querySelector(".stop");
    const veil = element.querySelector(".veil");
    let files = [];
    let persona = null;
    let restored = 0;
    let wasBusy = false;

    const tell = (event, told) => trigger(event, { ...told, persona });
    const draftKey = () => `utatane.draft.${persona}`;
    const sentKey = () => `utatane.sent.${persona}`;
    const offRecord = () => Boolean((props.value || {}).off_record);

    function update() {
      const value = props.value || {};
      if (value.persona && value.persona !== persona) {
        const isFirst = persona === null; // what was written or attached before the page knew to whom stays
        persona = value.persona;
        area.value = [utatane.kept(sessionStorage, draftKey()), isFirst ? area.value : ""].filter(Boolean).join("\n");
        area.placeholder = value.placeholder || "";
        if (!isFirst) files = [];
        showFiles();
        setTimeout(takeBackUnheard); // when the conversation stands beside it
      } else if (wasBusy && !value.busy) utatane.keep(sessionStorage, sentKey(), ""); // it was heard, and answered
      wasBusy = Boolean(value.busy);
      if (value.restore && value.restore.count !== restored) {
        restored = value.restore.count;
        area.value = value.restore.text;
        utatane.keep(sessionStorage, sentKey(), "");
        keepDraft();
      }
      area.placeholder = value.placeholder || area.placeholder;
      send.hidden = Boolean(value.busy);
      stop.hidden = !value.busy;
      veil.setAttribute("aria-pressed", String(offRecord()));
      grow(area);
    }

    function submit() {
      const text = area.value;
      if (!persona || (props.value || {}).busy || (!text.trim() && !files.length)) return;
      tell("submit", { text, files: files.map((file) => file.path), off_record: offRecord() });
      const sent = JSON.stringify({ text, after: said().at(-1)?.dataset.key });
      utatane.keep(sessionStorage, sentKey(), offRecord() || !text.trim() ? "" : sent);
      area.value = "";
      files = [];
      showFiles();
      utatane.keep(sessionStorage, draftKey(), "");
      grow(area);
      area.focus();
    }

    // Off the record not even the unsent words are kept by the browser.
    const keepDraft = () => persona && utatane.keep(sessionStorage, draftKey(), offRecord() ? "" : area.value);

    // Words that went out while the server went away stand in the field again, unless they were heard after all.
    const said = () => [...document.querySelectorAll("#conversation .transcript > div:has(article.user)")];
    const plain = (words) => words.replace(/\s+/g, " ").trim();
    function takeBackUnheard() {
      const kept = utatane.kept(sessionStorage, sentKey());
      if (!kept || (props.value || {}).busy) return;
      utatane.keep(sessionStorage, sentKey(), "");
      const { text, after } = JSON.parse(kept);
      const since = said().slice(said().findIndex((one) => one.dataset.key === after) + 1);
      if (since.some((one) => plain(one.querySelector(".bubble")?.innerText ?? "") === plain(text))) return;
      area.value = [text, area.value].filter(Boolean).join("\n");
      keepDraft();
      grow(area);
    }

    async function take(chosen) {
      for (const file of chosen) {
        const entry = { name: file.name, path: "" };
        files.push(entry);
        showFiles();
        try {
          entry.path = (await upload(file)).path;
        } catch (error) {
          files = files.filter((other) => other !== entry);
          tell("refused", { name: file.name });
        }
        showFiles();
      }
    }

    function showFiles() {
      tray.replaceChildren(...files.map((file) => {
        const chip = document.createElement("span");
        chip.className = file.path ? "chip" : "chip loading";
        chip.textContent = file.name;
        const remove = document.createElement("button");
        remove.type = "button";
        remove.textContent = "×";
        remove.setAttribute("aria-label", `${utatane.texts().remove_file}: ${file.name}`);
        remove.addEventListener("click", () => {
          files = files.filter((other) => other !== file);
          showFiles();
        });
        chip.append(remove);
        return chip;
      }));
      send.disabled = files.some((file) => !file.path);
    }

    area.addEventListener("keydown", (event) => {
      if (!isSending(event)) return;
      event.preventDefault();
      submit();
    });
    area.addEventListener("input", () => {
      grow(area);
      keepDraft();
    });
    area.addEventListener("paste", (event) => {
      if (event.clipboardData?.files.length) {
        event.preventDefault();
        take([...event.clipboardData.files]);
      }
    });
    element.addEventListener("dragover", (event) => event.preventDefault());
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      take([...event.dataTransfer.files]);
    });
    picker.addEventListener("change", () => {
      take([...picker.files]);
      picker.value = "";
    });
    element.querySelector(".attach").addEventListener("click", () => picker.click());
    send.addEventListener("click", submit);
    stop.addEventListener("click", () => tell("stop"));
    veil.addEventListener("click", () => tell("veil", { off_record: !offRecord() }));
    element.querySelector(".topic").addEventListener("click", () => tell("topic"));
    watch("value", update);
    update();
  }

  function grow(area) {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * 0.4)}px`;
  }

  Object.assign(utatane, { composer, grow, isSending });
})();
