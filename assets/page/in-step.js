// Windows stay in step: what another window, another program or the persona itself wrote is seen within moments.
"use strict";

(() => {
  const POLL_MS = 2000;
  const PATIENCE = 2;
  const isAsking = () => document.documentElement.hasAttribute("data-asking");

  // `props` are the conversation's; `trigger` is told `stale` when another one should be shown.
  function followServer(props, trigger) {
    let lost = 0; // times in a row that the turn under way was another one than is shown
    let gone = 0; // times in a row that nobody of this name was there
    setInterval(async () => {
      const value = props.value || {};
      if (document.hidden || !value.persona) return;
      const answer = await fetch(`${value.address}/revision`).catch(() => null);
      setOnline(Boolean(answer));
      if (!answer?.ok) return;
      const { revision, turn, boot } = await answer.json();
      if (isAnotherServer(boot)) return;
      if (isElsewhere(value.persona)) trigger("stale", {});
      const now = props.value;
      if (value.persona !== now.persona) return;
      gone = revision ? 0 : gone + 1;
      if (gone >= PATIENCE) leave();
      if (!revision) return;
      // While words come the page is ahead of this; words that nobody brings any more (the line broke) are behind.
      lost = now.busy && turn !== now.turn ? lost + 1 : 0;
      if (now.busy ? lost >= PATIENCE : revision !== now.revision) trigger("stale", {});
      else if (!now.busy && !isAsking()) document.dispatchEvent(new CustomEvent("utatane:in-step"));
    }, POLL_MS);
  }

  // What whoever one talked to before was saying may have come last, and would stand under another name.
  function isElsewhere(persona) {
    const chosen = document.querySelector("#personas [aria-current]")?.dataset.persona;
    return Boolean(chosen) && chosen !== persona;
  }

  // After a restart the server knows nothing of this window: load anew (drafts are kept), unless that loses words.
  let firstBoot = null;
  function isAnotherServer(boot) {
    firstBoot ??= boot;
    if (boot === firstBoot) return false;
    leave();
    return true;
  }

  // Also where whoever is shown was renamed or deleted in another window.
  function leave() {
    if (!utatane.isDirty?.()) location.reload();
  }

  function setOnline(is) {
    document.body.classList.toggle("server-away", !is);
  }

  Object.assign(utatane, { followServer });
})();
