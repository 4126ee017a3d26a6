// What happens elsewhere is seen here within moments: an answer piece by piece, another window, the night, another program.
// The server tells states (ui/server/live.py), so a window that slept or lost the line needs nothing but the newest one.
(() => {
  const SOONEST_MS = 300;
  const LATEST_MS = 5_000;
  const SHUT_OUT = 4401; // ui/server/live.py
  let socket = null;
  let pause = SOONEST_MS;
  let server = ""; // which start of the server one talks to
  let turn = 0; // the turn under way
  let ended = 0; // the newest turn that is over
  let isStale = false;
  let isFetching = false;

  function connect() {
    const path = document.body.dataset.live;
    if (!path || socket) return;
    const own = (socket = new WebSocket(new URL(path, location.href.replace(/^http/, "ws"))));
    own.path = path;
    own.onmessage = (event) => hear(JSON.parse(event.data));
    own.onopen = () => {
      pause = SOONEST_MS;
      tellAway(false);
    };
    own.onclose = async ({ code }) => {
      if (socket !== own) return;
      socket = null;
      setTimeout(connect, pause);
      const isLost = pause > SOONEST_MS; // not for the first time
      pause = Math.min(pause * 2, LATEST_MS);
      if (code === SHUT_OUT) utatane.refresh(); // the door says what opens it now
      // Where only the line is refused, the page goes on by asking.
      else if (isLost) tellAway(!(await utatane.refresh()));
    };
  }
  function tellAway(isLost) {
    const was = document.body.classList.contains("server-away");
    const isAway = isLost && socket?.readyState !== WebSocket.OPEN;
    document.body.classList.toggle("server-away", isAway);
    const { gone } = utatane.texts.notices;
    if (isAway && !was) utatane.tell(gone, "problem");
    if (!isAway) for (const one of document.querySelectorAll("#told .problem")) one.firstChild.textContent === gone && one.remove();
  }
  function reconnect() {
    const old = socket;
    socket = null;
    old?.close();
    [turn, ended] = [0, 0];
    connect();
  }
  utatane.later(() => utatane.always(() => {
    if (socket && socket.path !== document.body.dataset.live) reconnect();
    else connect();
    // A page that was drawn anew may not know any more which mind speaks, though the line has told it before.
    if (socket?.readyState === WebSocket.OPEN && document.querySelector("[data-looking]")) socket.send("mind");
  }));
  addEventListener("pageshow", (event) => event.persisted && refresh());
  addEventListener("online", () => socket || connect());
  on("visibilitychange", () => document.hidden || !isStale || refresh());

  function hear(told) {
    if (told.is === "hello") {
      if (server && server !== told.server) [turn, ended, isStale] = [0, 0, true];
      server = told.server;
    } else if (told.is === "state") {
      if (turn && told.turn !== turn) ended = Math.max(ended, turn);
      turn = told.turn;
      const room = document.getElementById("room");
      if (told.revision !== room.dataset.revision && !room.hasAttribute("data-still")) refresh();
    } else if (told.is === "mind") {
      const chip = document.querySelector(".mind-menu > summary");
      if (chip) chip.innerHTML = told.html;
    } else if (told.is === "live" && told.turn > ended) draw(told);
  }

  // Asked for once at a time; what changes meanwhile is asked for again.
  async function refresh() {
    isStale = true;
    if (isFetching || document.hidden) return;
    isFetching = true;
    while (isStale) {
      isStale = false;
      if (!(await utatane.refresh())) break;
    }
    isFetching = false;
  }

  // --- the answer under way; the thoughts that came before it stay with it until the page is left
  let thoughts = null;
  utatane.always(() => {
    if (!thoughts || document.getElementById("live")) return;
    let entry = thoughts.after?.nextElementSibling;
    while (entry && !entry.querySelector("article.persona")) entry = entry.nextElementSibling;
    delete thoughts.shown.dataset.key;
    thoughts.shown.dataset.added = "";
    entry?.querySelector(".words").prepend(thoughts.shown);
    thoughts = null;
  });
  function draw({ turn: number, step, html }) {
    const list = document.getElementById("conversation");
    if (!list || document.hidden && isStale || number <= Number(list.dataset.over)) return;
    let entry = document.getElementById("live");
    if (!entry) {
      entry = utatane.element("div", { id: "live", className: "entry" });
      entry.dataset.key = "live";
      list.append(entry);
    }
    if (Number(entry.dataset.turn) === number && Number(entry.dataset.step) >= step) return;
    Object.assign(entry.dataset, { turn: number, step });
    const fresh = utatane.element("div");
    fresh.innerHTML = html;
    if (entry.firstElementChild) utatane.morph(entry.firstElementChild, fresh.firstElementChild);
    else entry.replaceChildren(...fresh.childNodes);
    const shown = entry.querySelector("details.reasoning");
    if (shown) thoughts = { shown, after: entry.previousElementSibling };
    document.dispatchEvent(new CustomEvent("utatane:grown"));
  }
})();
