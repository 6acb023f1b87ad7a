// Loads the page again when a file was saved: the browser keeps the place in it. A page that nobody
// sees does not listen, for a browser has only six connections to a server.
(d => {
  const shown = d.currentScript.dataset.version;
  let stream;
  const listen = () => {
    if (d.hidden) {
      stream?.close();
      stream = null;
    } else if (!stream) {
      stream = new EventSource("/preview/events");
      stream.onmessage = e => { if (e.data != shown) location.reload(); };
    }
  };
  d.addEventListener("visibilitychange", listen);
  listen();
})(document);
