// Where one writes.
"use strict";

(() => {
  const VEILED = "utatane.veiled";
  const COMPARED = 1000; // characters: longer ones are not shown to their end

  // Enter that confirms a conversion is none; the keyboard's own script knows what else was chosen.
  const isSending = (event) => utatane.sends?.(event) ?? (event.key === "Enter" && !event.shiftKey && !utatane.composing(event));

  function composer(element, trigger, props, upload, watch) {
    const area = element.querySelector("textarea");
    const picker = element.querySelector('input[type="file"]');
    const tray = element.querySelector(".tray");
    const send = element.querySelector(".send");
    const stop = element.querySelector(".stop");
    const veil = element.querySelector(".veil");
    const trays = new Map(); // by persona: what is attached
    const unkept = new Map(); // by persona: words that are off the record, kept nowhere else
    let persona = null;
    let sentFiles = [];
    let restored = 0;
    let wasBusy = false;
    let isUnderWay = false; // something was sent, and nothing is known of it yet
    let wish = null; // whether to be off the record, until the server has heard it

    const tell = (event, told) => trigger(event, { ...told, persona });
    const draftKey = () => `utatane.draft.${persona}`;
    const sentKey = () => `utatane.sent.${persona}`;
    const offRecord = () => wish ?? Boolean((props.value || {}).off_record);
    const attached = () => trays.get(persona) ?? [];
    const attach = (files, whose = persona) => {
      trays.set(whose, files);
      showFiles();
    };

    function update() {
      const value = props.value || {};
      isUnderWay = false;
      if (value.persona && value.persona !== persona) {
        const isFirst = persona === null; // what was written or attached before the page knew to whom stays
        if (isFirst) trays.set(value.persona, attached());
        persona = value.persona;
        wish = null;
        const draft = unkept.get(persona) ?? utatane.kept(sessionStorage, draftKey());
        area.value = [draft, isFirst ? area.value : ""].filter(Boolean).join("\n");
        area.placeholder = value.placeholder || "";
        showFiles();
        setTimeout(takeBackUnheard); // when the conversation stands beside it
        if (isFirst && !value.off_record && utatane.kept(sessionStorage, VEILED)) goOffRecord(true);
      } else if (wasBusy && !value.busy) utatane.keep(sessionStorage, sentKey(), ""); // it was heard, and answered
      wasBusy = Boolean(value.busy);
      if (value.restore && value.restore.count !== restored) {
        restored = value.restore.count;
        utatane.keep(sessionStorage, sentKey(), "");
        giveBack(value.restore.text);
        if (value.restore.files) attach([...sentFiles, ...attached()]);
      }
      if (wish === Boolean(value.off_record)) wish = null;
      if (persona && wish === null) utatane.keep(sessionStorage, VEILED, offRecord() ? "yes" : "");
      area.placeholder = value.placeholder || area.placeholder;
      send.hidden = Boolean(value.busy);
      stop.hidden = !value.busy;
      veil.setAttribute("aria-pressed", String(offRecord()));
      grow(area);
    }

    function submit() {
      const text = area.value;
      const files = attached();
      if (!persona || (props.value || {}).busy || (!text.trim() && !files.length)) return;
      if (isUnderWay || send.disabled || document.body.classList.contains("server-away")) return; // it stays until it can be heard whole
      isUnderWay = true;
      tell("submit", { text, files: files.map((file) => file.path), off_record: offRecord() });
      const sent = JSON.stringify({ text, after: said().at(-1)?.dataset.key });
      utatane.keep(sessionStorage, sentKey(), offRecord() || !text.trim() ? "" : sent);
      area.value = "";
      keepDraft();
      sentFiles = files;
      attach([]);
      grow(area);
      area.focus();
    }

    // It counts at once, for what is said before the server has answered too; and a page that is loaded anew keeps to it.
    function goOffRecord(is) {
      wish = is;
      veil.setAttribute("aria-pressed", String(wish));
      keepDraft();
      tell("veil", { off_record: wish });
    }

    // Off the record not even the unsent words are kept by the browser.
    function keepDraft() {
      if (!persona) return;
      utatane.keep(sessionStorage, draftKey(), offRecord() ? "" : area.value);
      if (offRecord() && area.value) unkept.set(persona, area.value);
      else unkept.delete(persona);
    }

    function giveBack(text) {
      area.value = [text, area.value].filter(Boolean).join("\n");
      keepDraft();
      grow(area);
    }

    // Words that went out while the server went away stand in the field again, unless they were heard after all.
    const said = () => [...document.querySelectorAll("#conversation .transcript > div:has(article.user)")];
    const plain = (words) => words.replace(/\s+/g, " ").trim().slice(0, COMPARED);
    function takeBackUnheard() {
      const kept = utatane.kept(sessionStorage, sentKey());
      if (!kept || (props.value || {}).busy) return;
      utatane.keep(sessionStorage, sentKey(), "");
      const { text, after } = JSON.parse(kept);
      const since = said().slice(said().findIndex((one) => one.dataset.key === after) + 1);
      if (!since.some((one) => plain(one.querySelector(".bubble")?.innerText ?? "") === plain(text))) giveBack(text);
    }

    async function take(chosen) {
      const entries = [...chosen].map((file) => ({ file, name: file.name, path: "" }));
      const whose = persona; // somebody else may have been chosen by the time they are there
      const tray = () => (whose === null ? persona : whose);
      attach([...attached(), ...entries]);
      for (const entry of entries) {
        try {
          entry.path = (await upload(entry.file)).path;
          showFiles();
        } catch (error) {
          attach((trays.get(tray()) ?? []).filter((other) => other !== entry), tray());
          tell("refused", { name: entry.name });
        }
      }
    }

    function showFiles() {
      const files = attached();
      tray.replaceChildren(...files.map((file) => {
        const chip = document.createElement("span");
        chip.className = file.path ? "chip" : "chip loading";
        chip.textContent = file.name;
        const remove = document.createElement("button");
        remove.type = "button";
        remove.textContent = "×";
        remove.setAttribute("aria-label", `${utatane.texts().remove_file}: ${file.name}`);
        remove.addEventListener("click", () => attach(attached().filter((other) => other !== file)));
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
    veil.addEventListener("click", () => goOffRecord(!offRecord()));
    element.querySelector(".topic").addEventListener("click", () => tell("topic"));
    document.addEventListener("utatane:in-step", () => { // nothing is due, and still it is not to be seen
      isUnderWay = false;
      takeBackUnheard();
    });
    watch("value", update);
    update();
  }

  function grow(area) {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, innerHeight * 0.4)}px`;
  }

  Object.assign(utatane, { composer, grow, isSending });
})();
