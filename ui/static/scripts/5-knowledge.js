// Documents are chosen or dropped; one after the other is sent, and each has a row that says how far it is.
(() => {
  const waiting = [];
  let busy = null;
  const zone = () => document.getElementById("drop");
  const texts = () => utatane.texts.knowledge;

  function take(files) {
    const { action, dataset } = zone();
    for (const file of files) {
      const state = utatane.element("span", {}, texts().waiting);
      const row = utatane.element("li", {}, utatane.element("b", {}, file.name), state);
      row.dataset.added = "yes";
      document.getElementById("uploads").prepend(row);
      if (file.size > Number(dataset.largest)) finish(row, dataset.tooLarge.replace("{name}", file.name), true);
      else waiting.push({ file, row, action });
    }
    next();
  }

  async function next() {
    if (busy || !waiting.length) return;
    busy = waiting.shift();
    const page = await send(busy);
    const outcome = page?.querySelector("#uploads li");
    if (outcome) finish(busy.row, outcome.lastElementChild.textContent, outcome.classList.contains("wrong"));
    else finish(busy.row, page?.querySelector(".problem")?.textContent || texts().failed, true);
    const listed = document.getElementById("documents");
    if (outcome && listed && busy.action === zone()?.action) utatane.morph(listed, page.getElementById("documents"));
    busy = null;
    next();
  }

  // `fetch` does not tell how much has been sent.
  const send = ({ file, row, action }) => new Promise((answer) => {
    const say = (state) => {
      row.className = "busy";
      row.lastChild.textContent = state;
    };
    const request = new XMLHttpRequest();
    request.open("POST", action);
    request.setRequestHeader("x-utatane", "swap");
    request.responseType = "document";
    request.upload.onprogress = ({ loaded, total }) => say(texts().sending.replace("{percent}", Math.round((100 * loaded) / total)));
    request.upload.onload = () => say(texts().reading);
    request.onload = () => answer(request.response);
    request.onerror = () => answer(null);
    const body = new FormData();
    body.append("files", file);
    request.send(body);
  });

  function finish(row, sentence, wrong) {
    row.className = wrong ? "wrong" : "right";
    row.lastChild.textContent = sentence;
  }

  on("change", (event) => {
    if (!event.target.matches("#drop input")) return;
    take([...event.target.files]);
    event.target.value = "";
  });
  utatane.onDrop(zone, take);
  addEventListener("beforeunload", (event) => {
    if (busy || waiting.length) event.preventDefault(); // what is not sent yet would be lost
  });
})();
