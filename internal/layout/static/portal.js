// Makes the first call with a new key from the page. Without it the form has the server make it.
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-call]");
  if (!form) return;
  const find = s => document.querySelector(s), button = form.querySelector("button"), result = find("[data-result]");
  const call = async e => {
    e.preventDefault();
    if (form.ariaBusy) return;
    form.ariaBusy = "true";
    try {
      const r = await fetch(form.dataset.call, {
        headers: { Authorization: "Bearer " + form.elements.key.value }, credentials: "omit", cache: "no-store",
      });
      let body = await r.text(), head = "HTTP " + r.status + "\n";
      try { body = JSON.stringify(JSON.parse(body), null, 2); } catch { /* it is shown as it is */ }
      for (const name of ["X-RateLimit-Tier", "X-RateLimit-Remaining", "X-RateLimit-Reset", "ETag"]) {
        if (r.headers.has(name)) head += name + ": " + r.headers.get(name) + "\n";
      }
      find("[data-head]").textContent = head;
      find("[data-body]").textContent = body;
      result.hidden = false;
      dispatchEvent(new Event("resize")); // what scrolls now takes the focus
      button.textContent = button.dataset.again;
      find(".secret [data-copy]").classList.add("quiet");
      find("[data-continue]").classList.remove("quiet");
    } catch { // no answer: the server tries
      form.removeEventListener("submit", call);
      form.requestSubmit(button);
    }
    form.ariaBusy = null;
  };
  form.addEventListener("submit", call);
});
