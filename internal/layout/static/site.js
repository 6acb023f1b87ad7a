(d => {
  const root = d.documentElement, data = root.dataset, system = matchMedia("(prefers-color-scheme: dark)"),
    dark = () => data.theme ? data.theme == "dark" : system.matches, all = s => d.querySelectorAll(s);
  try { if (localStorage.theme) data.theme = localStorage.theme } catch {}
  d.addEventListener("DOMContentLoaded", () => {
    for (const b of all("[data-dark]")) {
      const show = () => b.textContent = dark() ? b.dataset.light : b.dataset.dark;
      show(b.hidden = false); system.onchange = show;
      b.onclick = () => { data.theme = dark() ? "light" : "dark"; try { localStorage.theme = data.theme } catch {} show() };
    }
    if (navigator.clipboard) for (const b of all("[data-copy]")) {
      const was = b.textContent; b.hidden = false;
      b.onclick = async () => { await navigator.clipboard.writeText(b.dataset.copy || b.closest("figure").querySelector("pre").textContent); b.textContent = b.dataset.done; setTimeout(() => b.textContent = was, 1600) };
    }
  });
})(document);
