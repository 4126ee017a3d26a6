// No answer gets lost. Gradio's server ends the stream of answers whenever none is due; what is asked for while that
// word is on its way is answered into a stream that nobody reads: its client takes the old one for open still. Here
// the stream goes on, unseen by the client, until nothing that was asked for waits for an answer. And no answer is
// drawn that is none.
"use strict";

(() => {
  const fetchAsIs = window.fetch.bind(window);
  const unanswered = new Set();
  const early = new Set(); // answered before we were told under which name it was asked
  const asking = new Set();

  window.fetch = (input, init) => {
    const path = new URL(input.url || input, location.href).pathname;
    if (path.endsWith("/queue/join")) return ask(input, init);
    if (path.endsWith("/queue/data")) return listen(input, init);
    return fetchAsIs(input, init);
  };

  function ask(input, init) {
    const answer = noted(fetchAsIs(input, init)).finally(() => asking.delete(answer));
    asking.add(answer);
    return answer;
  }

  async function noted(request) {
    const response = await request;
    const told = response.ok ? await response.clone().json() : {};
    if (told.event_id && !early.delete(told.event_id)) unanswered.add(told.event_id);
    return response;
  }

  async function listen(input, init) {
    const address = input.url || String(input);
    const signal = input.signal || init?.signal;
    const first = await fetchAsIs(input, init);
    if (!first.ok || !first.body) return first;
    const body = new ReadableStream({
      start(client) {
        forward(first, client, address, signal).catch((error) => client.error(error));
      },
    });
    return new Response(body, { status: first.status, headers: first.headers });
  }

  async function forward(response, client, address, signal) {
    const encoder = new TextEncoder();
    const growing = new Set(); // answered piece by piece, as words are
    const tell = (record) => client.enqueue(encoder.encode(`${record}\n\n`));
    let goodbye = "";
    for (let stream = response; stream; ) {
      let heard = 0;
      for await (const record of records(stream.body)) {
        const told = JSON.parse(record.replace(/^data: /, ""));
        if (told.msg === "close_stream") {
          goodbye = record;
          break;
        }
        if (told.msg === "process_completed") {
          if (!unanswered.delete(told.event_id)) early.add(told.event_id);
          document.dispatchEvent(new CustomEvent("utatane:answered", { detail: told.event_id }));
        }
        if (told.output?.data) told.output.data = meant(told, growing);
        if (told.msg === "unexpected_error") unanswered.clear(); // the client is told, and begins anew
        if (told.msg !== "heartbeat") heard += 1;
        tell(`data: ${JSON.stringify(told)}`);
      }
      while (asking.size) await Promise.allSettled(asking);
      if (!heard) unanswered.clear(); // the server knows nothing of them any more
      stream = unanswered.size && !signal?.aborted ? await fetchAsIs(address, { signal }) : null;
      if (stream && !stream.ok) stream = null;
    }
    if (goodbye) tell(goodbye);
    client.close();
  }

  // What an answer is meant to change. When the last piece has come, Gradio says the whole once more: who has turned to
  // somebody else by then would have it drawn again. And what leaves a value as it is comes with "props" of nothing,
  // which undo what the same moment has changed.
  function meant({ msg, event_id: name, output }, growing) {
    if (msg === "process_completed" && growing.delete(name)) return output.data.map(() => ({ __type__: "update" }));
    if (msg === "process_generating" && growing.has(name)) return output.data; // how it differs from the piece before
    if (msg === "process_generating") growing.add(name);
    for (const value of output.data) if (value?.props?.__type__) delete value.props;
    return output.data;
  }

  async function* records(body) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let end = -1; ; ) {
      while ((end = text.indexOf("\n\n")) >= 0) {
        yield text.slice(0, end);
        text = text.slice(end + 2);
      }
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
    }
  }
})();
