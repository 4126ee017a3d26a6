// Letters: the browser tells of a first word from a persona while nobody looks at the page.
//
// Whether it may is asked after a click, never on load. Of several windows one tells; while one of them is looked at,
// none does. The words themselves are shown, and asked of the server, only by those who chose so.
(() => {
  const POLL_MS = 5_000;
  const WANTED = "utatane.letters";
  const WORDS = "utatane.letters.words";
  const SEEN = "utatane.letters.seen";
  const chosen = (key) => utatane.kept(localStorage, key) === "yes";
  const texts = () => utatane.texts.letters;

  // Browsers offer notifications and locks to pages that nobody can listen in to: loopback, or https.
  const isPossible = () => "Notification" in window && "locks" in navigator;
  const isOn = () => isPossible() && chosen(WANTED) && Notification.permission === "granted";

  // --- as long as a window is looked at, it holds a lock that the hidden ones can see
  let letGo = null;
  function follow() {
    if (!isPossible()) return;
    if (document.hidden) {
      letGo?.();
      letGo = null;
    } else if (!letGo) {
      letGo = () => {};
      navigator.locks.request("utatane.looked-at", { mode: "shared" }, () => document.hidden ? null : new Promise((done) => {
        letGo = done;
      }));
    }
  }
  on("visibilitychange", follow);
  follow();
  const isLookedAt = async () => (await navigator.locks.query()).held.some(({ name }) => name === "utatane.looked-at");

  // --- one window after the other looks; whoever finds something new marks it before it tells
  async function look() {
    if (!isOn()) return;
    await navigator.locks.request("utatane.letters", async () => {
      const answer = await fetch(`/letters${chosen(WORDS) ? "?words=true" : ""}`).catch(() => null);
      if (!answer?.ok) return;
      const letters = await answer.json();
      const seen = utatane.kept(localStorage, SEEN).split("\n");
      utatane.keep(localStorage, SEEN, letters.map(({ id }) => id).join("\n"));
      const fresh = letters.filter(({ id }) => !seen.includes(id));
      if (fresh.length && !(await isLookedAt())) fresh.forEach(tell);
    });
  }
  setInterval(look, POLL_MS);

  function tell({ persona, face, address, words }) {
    const told = new Notification(texts().title.replace("{name}", persona), {
      body: words || "",
      icon: face || document.querySelector('link[rel="apple-touch-icon"]').href,
      tag: `utatane-${persona}`, // a newer one takes its place
      lang: document.documentElement.lang,
    });
    told.onclick = () => {
      window.focus();
      told.close();
      location.assign(`${address}#latest`);
    };
  }

  // --- the switches, in the settings beside those of what a persona may do of its own accord: `data-letters`
  utatane.always(() => {
    const element = document.querySelector("[data-letters]:not([data-mine])");
    if (!element) return;
    element.dataset.mine = "yes";
    const [wanted, words] = element.querySelectorAll("input");
    words.checked = chosen(WORDS);
    wanted.onchange = () => change(element, wanted);
    words.onchange = () => utatane.keep(localStorage, WORDS, words.checked ? "yes" : "");
    show(element);
  });

  async function change(element, box) {
    const said = element.querySelector(".state");
    if (box.checked && isPossible() && Notification.permission === "default") said.textContent = texts().asking;
    const is = box.checked && isPossible() && (await Notification.requestPermission()) === "granted";
    utatane.keep(localStorage, WANTED, is ? "yes" : "");
    if (is) await look(); // what waits already was seen
    show(element, box.checked);
  }

  function show(element, asked = false) {
    const [wanted, words] = element.querySelectorAll("input");
    const isDenied = isPossible() && Notification.permission === "denied";
    wanted.checked = isOn();
    wanted.disabled = !isPossible();
    words.disabled = !isOn();
    const t = texts();
    element.querySelector(".state").textContent = !isPossible() ? t.impossible : isDenied ? t.denied : asked && !isOn() ? t.not_yet : "";
  }
})();
