// Windows stay in step: what another window, another program or the persona itself wrote is seen within moments.
"use strict";

(() => {
  const POLL_MS = 2000;

  // `props` are the conversation's; `trigger` is told `stale` when another one should be shown.
  function followServer(props, trigger) {
    setInterval(async () => {
      const value = props.value || {};
      if (document.hidden || !value.persona) return;
      const answer = await fetch(`${value.address}/revision`).catch(() => null);
      setOnline(Boolean(answer));
      if (!answer?.ok) return;
      const { revision, boot } = await answer.json();
      if (isAnotherServer(boot)) return;
      if (isElsewhere(value.persona)) trigger("stale", {});
      if (revision && revision !== props.value.revision && !props.value.busy && value.persona === props.value.persona) {
        trigger("stale", {});
      }
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
    if (!utatane.isDirty?.()) location.reload();
    return true;
  }

  function setOnline(is) {
    document.body.classList.toggle("server-away", !is);
  }

  Object.assign(utatane, { followServer });
})();
