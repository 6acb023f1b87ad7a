// Renews the page after a payment until the provider's word is there. Without it a header does: the
// script asks for the page without that header, so that the two do not meet.
addEventListener("DOMContentLoaded", () => {
  const waiting = document.querySelector("[data-waiting]");
  if (!waiting) return;
  const here = new URL(location.href);
  if (waiting.dataset.waiting !== "script") {
    here.searchParams.delete("essai");
    here.searchParams.set("suivi", "1");
    location.replace(here);
    return;
  }
  const end = Date.now() + 180_000;
  const look = async () => {
    if (Date.now() > end) {
      waiting.hidden = true;
      document.querySelector("[data-slow]").hidden = false;
      return;
    }
    try {
      const r = await fetch(here.pathname + "?suivi=1", { cache: "no-store", redirect: "error" });
      const page = new DOMParser().parseFromString(await r.text(), "text/html");
      if (r.ok && !page.querySelector("[data-waiting]")) {
        location.replace(here.pathname);
        return;
      }
    } catch { /* no answer: the next time may have one */ }
    setTimeout(look, 2000);
  };
  setTimeout(look, 2000);
});
