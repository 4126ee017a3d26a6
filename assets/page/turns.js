// One thing after the other: what is asked of the server in haste waits here until its answer can be right.
//
// Whom one talks to is known to the server alone. While that is being decided (the page opens; somebody is chosen, made,
// copied, deleted), a room that is entered would be drawn for whoever it was before, or for nobody: whatever else is
// asked for goes on its way when that is answered. And what is shown in the same place is asked for in turn, so that the
// later answer is the one that stays. Nothing is dropped. What comes piece by piece, as words do, waits for none of these,
// and none waits for it.
"use strict";

(() => {
  const PATIENCE_MS = 15_000; // should an answer get lost
  const OPENING_MS = 60_000; // until the page itself has come, on a machine that may be slow
  const fetchAtOnce = window.fetch;
  const waiting = new Map(); // by an event's name: what to do when its answer is there
  const early = new Set(); // answered before we were told under which name it was asked
  const last = new Map(); // by the place on the page: the last answer that is to be shown there
  const due = new Set(); // all answers that are still to come
  const opened = open(OPENING_MS);
  let deciding = opened.answer;

  // An answer that is still to come.
  function open(patience = PATIENCE_MS) {
    let close;
    const answer = new Promise((done) => {
      close = done;
    });
    setTimeout(close, patience);
    due.add(answer);
    answer.then(() => due.delete(answer) && tellWhetherDue());
    tellWhetherDue();
    return { answer, close };
  }

  // Whoever looks (a test, a style) sees whether the page still waits for something.
  function tellWhetherDue() {
    document.documentElement.toggleAttribute("data-asking", due.size > 0);
  }

  const questions = () => window.gradio_config?.dependencies ?? [];
  const opens = (question) => Boolean(question?.targets.some(([, event]) => event === "load"));
  const decides = (question) => Boolean(question?.outputs.includes(questions().find(opens)?.outputs[0]));
  const comesInPieces = (question) => Boolean(question?.types.generator);

  window.fetch = (input, init) => {
    const path = new URL(input.url || input, location.href).pathname;
    return path.endsWith("/queue/join") ? inTurn(input, init) : fetchAtOnce(input, init);
  };

  async function inTurn(input, init) {
    const asked = JSON.parse(init.body).fn_index;
    const question = questions().find(({ id }) => id === asked);
    const own = opens(question) ? opened : open();
    const places = comesInPieces(question) ? [] : question?.outputs ?? [];
    const before = places.map((place) => last.get(place));
    if (!opens(question)) before.push(deciding);
    for (const place of places) last.set(place, own.answer);
    if (decides(question)) deciding = Promise.all([deciding, own.answer]);
    await Promise.all(before);
    try {
      const response = await fetchAtOnce(input, init);
      const { event_id: name } = response.ok ? await response.clone().json() : {};
      if (!name || early.delete(name)) own.close();
      else waiting.set(name, own.close);
      return response;
    } catch (error) {
      own.close();
      throw error;
    }
  }

  // Told by assets/page/stream.js.
  document.addEventListener("utatane:answered", ({ detail: name }) => {
    if (!waiting.has(name)) early.add(name);
    waiting.get(name)?.();
    waiting.delete(name);
  });
})();
