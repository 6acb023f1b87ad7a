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
    const say = d.body.appendChild(d.createElement("p")); say.className = "vh"; say.role = "status";
    if (navigator.clipboard) for (const b of all("[data-copy]")) {
      const was = [...b.childNodes]; b.hidden = false;
      b.onclick = async () => {
        await navigator.clipboard.writeText(b.dataset.copy || b.closest("figure").querySelector("pre").textContent);
        b.textContent = say.textContent = b.dataset.done;
        setTimeout(() => { b.replaceChildren(...was); say.textContent = "" }, 1600);
      };
    }
    // Of the boxes of code, those that scroll take the focus.
    const stops = () => {
      for (const e of all("[data-code]")) {
        const on = e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1;
        for (const [name, value] of [["tabindex", 0], ["role", "group"], ["aria-label", e.dataset.code]])
          on ? e.setAttribute(name, value) : e.removeAttribute(name);
      }
    };
    stops(); addEventListener("resize", stops); addEventListener("load", stops); d.addEventListener("toggle", stops, true);
  });
})(document);
