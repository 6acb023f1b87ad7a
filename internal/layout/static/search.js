// Suggests tools while somebody types in the masthead. Without it the form leads to what was found.
(d => {
  const form = d.querySelector("form[data-names]"), input = form.q, list = form.appendChild(d.createElement("ul"));
  const fold = s => s.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/œ/g, "oe").trim();
  let names, at = -1;
  const set = (name, value) => value == null ? input.removeAttribute("aria-" + name) : input.setAttribute("aria-" + name, value);
  const show = found => {
    list.replaceChildren(...found.map(([name, slug], i) => {
      const option = d.createElement("li");
      option.id = "find-" + i; option.role = "option"; option.textContent = name; option.dataset.slug = slug;
      return option;
    }));
    at = -1; list.hidden = !found.length; set("expanded", !list.hidden); set("activedescendant");
  };
  const go = option => location.assign(form.dataset.tool.replace(/-$/, option.dataset.slug));
  input.role = "combobox"; set("autocomplete", "list"); set("controls", list.id = "find-list");
  list.role = "listbox"; list.ariaLabel = form.ariaLabel;
  show([]);
  input.onfocus = () => names ??= fetch(form.dataset.names).then(r => r.json()).then(all => all.map(n => [...n, " " + fold(n[0])])).catch(() => []);
  input.oninput = async () => {
    const typed = fold(input.value), all = typed ? await names ?? [] : [];
    if (typed != fold(input.value)) return;
    const begin = all.filter(n => n[2].startsWith(" " + typed)), within = all.filter(n => n[2].indexOf(" " + typed) > 0);
    show([...begin, ...within].slice(0, 7));
  };
  input.onblur = () => show([]);
  input.onkeydown = e => {
    const n = list.children.length, step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (e.key == "Escape" && n) { e.preventDefault(); show([]) }
    if (e.key == "Enter" && at >= 0) { e.preventDefault(); go(list.children[at]) }
    if (!step || !n) return;
    e.preventDefault();
    list.children[at]?.removeAttribute("aria-selected");
    at = (at + step + n + (at < 0 && step < 0)) % n;
    list.children[at].ariaSelected = "true"; set("activedescendant", list.children[at].id);
  };
  list.onmousedown = e => { e.preventDefault(); if (e.target.dataset.slug) go(e.target) };
})(document);
