// What a screen reader is told of a page: Chromium's accessibility tree. Each rule below is given the
// nodes of the tree in reading order, and returns what is wrong with them.

const controls = ['link', 'button', 'textbox', 'searchbox', 'combobox', 'listbox', 'checkbox', 'radio',
  'switch', 'slider', 'spinbutton', 'DisclosureTriangle'];

const rules = [headings, landmarks, names, linksOfLists, tables, images, boxes, languages, order, layout,
  focusOrder];

// checkTree returns what is wrong with the tree of a page that runs scripts.
export async function checkTree(page) {
  const session = await page.context().newCDPSession(page);
  try {
    const tree = await read(page, session);
    tree.focused = await walk(page, session, tree.nodes.filter(node => node.focusable).length);
    return rules.flatMap(rule => rule(tree)).map(fault => `tree: ${fault}`);
  } finally {
    await session.detach();
  }
}

// read returns the elements of the document in their order, each with its place on the page, and the
// nodes of the tree in theirs, each with the element that it stands for.
async function read(page, session) {
  const { root } = await session.send('DOM.getDocument', { depth: -1 });
  const elements = [], owners = new Map();
  const collect = (node, parent) => {
    let element = parent;
    if (node.nodeType === 1) {
      const attributes = {};
      for (let i = 0; i < node.attributes.length; i += 2) attributes[node.attributes[i]] = node.attributes[i + 1];
      element = { tag: node.localName, attributes, parent, index: elements.length };
      elements.push(element);
    }
    owners.set(node.backendNodeId, element);
    for (const pseudo of node.pseudoElements ?? []) owners.set(pseudo.backendNodeId, element);
    for (const child of node.children ?? []) collect(child, element);
  };
  collect(root);
  const places = await page.evaluate(measure);
  if (places.length !== elements.length) throw new Error('the document changes while it is read');
  for (const [i, element] of elements.entries()) Object.assign(element, places[i]);

  const found = (await session.send('Accessibility.getFullAXTree')).nodes;
  const byID = new Map(found.map(node => [node.nodeId, node])), nodes = [];
  const visit = (raw, parent) => {
    let node = parent;
    if (!raw.ignored && raw.role.value !== 'InlineTextBox') {
      const properties = Object.fromEntries((raw.properties ?? []).map(p => [p.name, p.value.value]));
      node = {
        role: raw.role.value, name: (raw.name?.value ?? '').trim(), level: properties.level, url: properties.url,
        focusable: Boolean(properties.focusable) && raw.role.value !== 'RootWebArea',
        element: owners.get(raw.backendDOMNodeId), parent, children: [],
      };
      parent?.children.push(node);
      nodes.push(node);
    }
    for (const id of raw.childIds ?? []) if (byID.has(id)) visit(byID.get(id), node);
  };
  visit(found[0]);
  return { nodes, elements, path: new URL(page.url()).pathname };
}

// walk holds Tab from the beginning of the page on, and returns the numbers of the elements that have
// the focus, in order.
async function walk(page, session, presses) {
  await page.evaluate(startWalk);
  const key = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };
  const sent = [];
  for (let i = 0; i < presses; i++) sent.push(session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key }));
  sent.push(session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key }));
  await Promise.all(sent);
  return page.evaluate(endWalk);
}

const inside = (node, role) => node && (node.role === role ? node : inside(node.parent, role));
const within = node => [node, ...node.children.flatMap(within)];
const said = node => `${node.role} “${node.name.slice(0, 60)}”`;
const repeated = list => list.filter((item, i) => list.indexOf(item) !== i);

function headings({ nodes }) {
  const faults = [], all = nodes.filter(node => node.role === 'heading');
  const first = all.filter(node => node.level === 1);
  if (first.length !== 1) faults.push(`${first.length} headings of level 1`);
  const inMain = all.find(node => inside(node, 'main'));
  if (inMain?.level !== 1) faults.push(`main begins with ${inMain ? said(inMain) : 'no heading'}, not with level 1`);
  for (const [i, node] of all.entries()) {
    const before = all[i - 1]?.level ?? 0;
    if (node.level > before + 1) faults.push(`${said(node)} has level ${node.level} after level ${before}`);
    if (!node.name) faults.push(`a heading of level ${node.level} says nothing`);
  }
  return faults;
}

function landmarks({ nodes }) {
  const faults = [];
  for (const role of ['banner', 'main', 'contentinfo']) {
    const count = nodes.filter(node => node.role === role).length;
    if (count !== 1) faults.push(`${count} landmarks ${role}`);
  }
  const all = nodes.filter(node => node.role === 'navigation').map(node => node.name);
  if (all.length > 1 && all.includes('')) faults.push('a navigation without a name, beside others');
  for (const name of repeated(all)) faults.push(`two navigations have the name “${name}”`);
  return faults;
}

function names({ nodes }) {
  return nodes.filter(node => controls.includes(node.role) && !node.name)
    .map(node => `${node.role} without a name: ${html(node.element)}`);
}

// Whoever hears a list of links cannot tell two of one name apart. In a table the row does.
function linksOfLists({ nodes }) {
  const faults = [], lists = new Map();
  for (const link of nodes.filter(node => node.role === 'link' && !inside(node, 'table'))) {
    const list = inside(link, 'list');
    if (!list) continue;
    const seen = lists.get(list) ?? new Map();
    lists.set(list, seen);
    const other = seen.get(link.name);
    if (other && other !== link.url) faults.push(`two links “${link.name}” of one list lead to ${other} and ${link.url}`);
    seen.set(link.name, link.url);
  }
  return faults;
}

function tables({ nodes }) {
  return nodes.filter(node => node.role === 'table')
    .filter(table => !within(table).some(node => ['columnheader', 'rowheader'].includes(node.role)))
    .map(table => `a table without header cells: ${html(table.element)}`);
}

function images({ nodes }) {
  return nodes.filter(node => ['image', 'img', 'SvgRoot'].includes(node.role) && !node.name)
    .map(node => `an image without a name: ${html(node.element)}`);
}

// A box that scrolls and takes the focus says what it is, unless it is text to be read.
function boxes({ nodes }) {
  return nodes.filter(node => node.focusable && node.element?.attributes.tabindex === '0')
    .filter(node => !controls.includes(node.role) && !['pre', 'code'].includes(node.element.tag))
    .filter(node => node.role === 'generic' || !node.name)
    .map(node => `a box takes the focus and has no role or no name: ${html(node.element)}`);
}

// The page says its language, and what is in another language is read aloud as such: it is in the tree.
function languages({ nodes, elements, path }) {
  const faults = [], page = elements[0].attributes.lang;
  const wanted = /^\/en(\/|$)/.test(path) ? 'en' : 'fr';
  if (page !== wanted) faults.push(`the page is in ${wanted} and says ${page}`);
  const spoken = new Set();
  for (const node of nodes) {
    const { element, role, name } = node;
    if (!element || !name) continue;
    for (let e = element; e; e = e.parent) spoken.add(e);
    const own = language(element);
    const code = ancestor(element, e => ['code', 'pre', 'samp'].includes(e.tag));
    if (role === 'StaticText' && inside(node, 'main') && !code && sounds(name) && sounds(name) !== own) {
      faults.push(`${sounds(name)} that says it is ${own}: “${name.slice(0, 80)}”`);
    }
  }
  for (const e of elements.filter(e => e.parent && e.attributes.lang && e.shown && e.text)) {
    if (!spoken.has(e)) faults.push(`what is in ${e.attributes.lang} is not in the tree: ${html(e)}`);
  }
  return faults;
}

// sounds guesses the language of a sentence by its small words; it is empty where there are few.
function sounds(text) {
  const words = text.toLowerCase().split(/[^\p{L}]+/u);
  const count = list => words.filter(word => list.includes(word)).length;
  const french = count(['le', 'la', 'les', 'des', 'une', 'est', 'et', 'pour', 'avec', 'dans', 'qui', 'que', 'du', 'sur', 'sans']);
  const english = count(['the', 'of', 'and', 'is', 'to', 'with', 'that', 'in', 'it', 'for', 'without']);
  if (french >= 3 && french > 2 * english) return 'fr';
  return english >= 3 && english > 2 * french ? 'en' : '';
}

const ancestor = (e, holds) => e && (holds(e) ? e : ancestor(e.parent, holds));
const language = e => ancestor(e, e => e.attributes.lang)?.attributes.lang;

// What is read and used comes in the order of the document, but where a stylesheet says reading-flow,
// and in that of the page: nothing stands above what comes before it in its own column.
function order({ nodes }) {
  const faults = [];
  const all = nodes.filter(node => node.element && ['heading', ...controls].includes(node.role));
  for (const [i, node] of all.entries()) {
    const before = all[i - 1];
    if (!before || before.element === node.element) continue;
    if (node.element.index < before.element.index && !ancestor(node.element, e => e.flows)) {
      faults.push(`${said(node)} is read after ${said(before)}, and stands before it in the document`);
    }
    const [a, b] = [before.element, node.element];
    const still = a.shown && b.shown && !a.fixed && !b.fixed;
    if (still && b.bottom <= a.top && b.left < a.right && a.left < b.right) {
      faults.push(`${said(node)} is read after ${said(before)}, and stands above it on the page`);
    }
  }
  for (const node of all.filter(node => Number(node.element.attributes.tabindex) > 0)) {
    faults.push(`${said(node)} has tabindex ${node.element.attributes.tabindex}`);
  }
  return faults;
}

// A box whose parts a stylesheet puts into another order is read as the document has them, if it does
// not say reading-flow.
function layout({ nodes, elements }) {
  const used = new Set();
  for (const node of nodes.filter(node => ['heading', ...controls].includes(node.role))) {
    for (let e = node.element; e; e = e.parent) used.add(e);
  }
  return elements.filter(e => e.moved && !e.flows).filter(e => {
    const parts = elements.filter(part => part.parent === e && part.shown && used.has(part));
    const sorted = parts.toSorted((a, b) => a.order - b.order);
    return parts.length > 1 && (e.reversed || sorted.some((part, i) => part !== parts[i]));
  }).map(e => `the stylesheet changes the order within ${html(e)}`);
}

// Tab goes through the tree from its beginning to its end, and leaves nothing out.
function focusOrder({ nodes, elements, focused }) {
  const faults = [], stops = new Map(); // where the tree has the elements
  for (const node of nodes.filter(node => node.focusable && node.element)) {
    if (!stops.has(node.element)) stops.set(node.element, { node, at: stops.size });
  }
  let last;
  const again = focused.indexOf(focused[0], 1); // after its end a page begins anew
  for (const element of focused.slice(0, again < 0 ? undefined : again).map(index => elements[index])) {
    const stop = stops.get(element);
    if (!stop) faults.push(`Tab reaches what is not in the tree: ${html(element)}`);
    else if (last && stop.at < last.at) faults.push(`Tab goes from ${said(last.node)} back to ${said(stop.node)}`);
    if (stop) last = stop;
  }
  const reached = new Set(focused);
  for (const [element, { node }] of stops) {
    // Of the radio buttons of a group Tab reaches one; arrows reach the others. Options are a list's own.
    const own = ['radio', 'option', 'MenuListPopup'].includes(node.role) ||
      element.attributes.tabindex === '-1' && !controls.includes(node.role);
    if (!own && !reached.has(element.index)) faults.push(`Tab does not reach ${said(node)}: ${html(element)}`);
  }
  return faults;
}

function html(element) {
  if (!element) return 'nothing';
  return `<${element.tag}${Object.entries(element.attributes).map(([k, v]) => ` ${k}="${v}"`).join('')}>`.slice(0, 140);
}

// The functions below run in the page, and see nothing of what is above.

// measure says of each element where it is and how its parts are laid out.
function measure() {
  const fixed = new Set();
  return [...document.querySelectorAll('*')].map(e => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    const lays = /flex|grid/.test(style.display);
    if (['fixed', 'sticky'].includes(style.position) || fixed.has(e.parentElement)) fixed.add(e);
    return {
      left: box.left, right: box.right, top: box.top + scrollY, bottom: box.bottom + scrollY,
      shown: box.width > 1 && box.height > 1 && e.checkVisibility({ visibilityProperty: true }),
      text: Boolean(e.textContent.trim()), order: Number(style.order),
      fixed: fixed.has(e),
      reversed: lays && (style.flexDirection.endsWith('reverse') || style.flexWrap === 'wrap-reverse'),
      moved: lays && (/reverse/.test(style.flexDirection + style.flexWrap) ||
        [...e.children].some(child => getComputedStyle(child).order !== '0')),
      flows: lays && !['', 'normal', undefined].includes(style.readingFlow),
    };
  });
}

// startWalk puts the focus before everything, and notes from then on where it goes.
function startWalk() {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute('tabindex');
  const all = [...document.querySelectorAll('*')];
  globalThis.walked = [];
  globalThis.follow = event => globalThis.walked.push(all.indexOf(event.target));
  document.addEventListener('focusin', globalThis.follow);
}

function endWalk() {
  document.removeEventListener('focusin', globalThis.follow);
  document.activeElement.blur();
  scrollTo(0, 0);
  return globalThis.walked;
}
