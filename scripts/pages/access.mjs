// What must hold for readers who see, type or hear pages in their own way, beyond what axe looks at. Each
// check is given a page that is open, and leaves it as it was.

const widths = [320, 360];
const withLarge = [1280, 390]; // widths at which text of twice the size must fit as well

export async function checkAccess(page, scripted = true) {
  const before = page.viewportSize();
  const faults = [];
  for (const width of widths) {
    await resize(page, { width, height: before.height });
    faults.push(...(await ask(page, scripted, code, sideways, headless)).map(fault => `at ${width} px: ${fault}`));
  }
  faults.push(...await withLargeText(page, before));
  await tell(page); // the text has its size again
  faults.push(...await inForcedColours(page));
  faults.push(...await ask(page, scripted, code, copies, crumbs, drawings));
  return faults.map(fault => `access: ${fault}`);
}

// ask runs functions in the page, all at once, and returns what they found.
async function ask(page, argument, ...functions) {
  return page.evaluate(`[${functions.map(run => `...(${run})(${argument})`)}]`);
}

async function resize(page, size) {
  await page.setViewportSize(size);
  await tell(page);
}

// tell tells the page of a new size at once: a browser does with the next frame.
async function tell(page) {
  await page.evaluate(() => { dispatchEvent(new Event('resize')); });
}

// withLargeText doubles the reader's own size of text, by which pages measure everything. The width that the page has
// comes last, and stays.
async function withLargeText(page, before) {
  const session = await page.context().newCDPSession(page);
  const faults = [];
  try {
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    for (const width of [...withLarge.filter(width => width !== before.width), before.width]) {
      await resize(page, { width, height: before.height });
      faults.push(...(await page.evaluate(sideways)).map(fault => `at ${width} px: with text of 200 %: ${fault}`));
    }
    return faults;
  } finally {
    await session.send('Page.setFontSizes', { fontSizes: { standard: 16, fixed: 13 } });
    await session.detach();
  }
}

async function inForcedColours(page) {
  await page.emulateMedia({ forcedColors: 'active' });
  const faults = (await page.evaluate(unmarked)).map(fault => `in forced colours: ${fault}`);
  await page.emulateMedia({ forcedColors: null });
  return faults;
}

// The functions below run in the page, and see nothing of what is above.

// sideways finds what makes the page wider than the window.
function sideways() {
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide <= 0) return [];
  const contained = e => e !== document.body &&
    (getComputedStyle(e).overflowX !== 'visible' || contained(e.parentElement));
  const found = [...document.body.querySelectorAll('*')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1 && !contained(e.parentElement));
  const blamed = found.at(-1) ?? texts().find(e => !contained(e));
  return [`scrolls sideways by ${wide} px: ${blamed?.outerHTML.slice(0, 120)}`];

  // texts are the elements whose own words are wider than they are.
  function texts() {
    const range = document.createRange();
    return [...document.body.querySelectorAll('*')].filter(e => [...e.childNodes].some(node => {
      if (node.nodeType !== Node.TEXT_NODE) return false;
      range.selectNodeContents(node);
      return range.getBoundingClientRect().right > innerWidth + 1;
    }));
  }
}

// headless finds tables whose headings nobody hears: what is not displayed is not in the tree.
function headless() {
  return [...document.querySelectorAll('table:has(thead th)')].filter(table => table.checkVisibility())
    .filter(table => getComputedStyle(table.tHead).display === 'none')
    .map(table => `a table without headings: ${table.outerHTML.slice(0, 80)}`);
}

// unmarked finds what stood out by its colour alone: the current entry, the winner, the ruler of scores.
function unmarked() {
  const faults = [], style = e => getComputedStyle(e);
  const ground = style(document.body).backgroundColor;
  const clear = 'rgba(0, 0, 0, 0)';
  const stands = e => {
    const s = style(e);
    return ![ground, clear].includes(s.backgroundColor) || s.textDecorationLine.includes('underline') && Number(s.fontWeight) > 500 ||
      ['Top', 'Bottom', 'Left', 'Right'].some(side => s[`border${side}Style`] !== 'none' && parseFloat(s[`border${side}Width`]) > 0 &&
        s[`border${side}Color`] !== ground && s[`border${side}Color`] !== clear);
  };
  for (const e of document.querySelectorAll('nav [aria-current], .mark, tr.first .who a, .win')) {
    if (e.checkVisibility() && !stands(e)) faults.push(`nothing marks ${e.outerHTML.slice(0, 120)}`);
  }
  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const contrast = (a, b) => Math.max(light(a) / light(b), light(b) / light(a));
  for (const e of document.querySelectorAll('.scale .val, .gauge .val, .chart text, .chart .bar, .chart .dot')) {
    if (e.checkVisibility() && contrast(style(e).fill, ground) < 3) {
      faults.push(`a drawing cannot be seen: ${style(e).fill} on ${ground}, ${e.outerHTML.slice(0, 80)}`);
      break;
    }
  }
  for (const ruler of document.querySelectorAll('.scale')) {
    const full = ruler.querySelector('.val'), empty = ruler.querySelector('.base');
    if (ruler.checkVisibility() && full && style(full).fill === style(empty).fill) faults.push('the ruler of a score shows none');
  }
  return faults;
}

// code finds samples that a keyboard cannot scroll, and stops at which there is nothing to do or no name. Where
// no script runs, a sample with a long line is a stop whether it scrolls or not.
function code(scripted) {
  const faults = [];
  for (const e of document.querySelectorAll('pre, .call code')) {
    if (!e.checkVisibility()) continue;
    const scrolls = scripted ? e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight + 1 && style(e).overflowY !== 'visible'
      : e.tabIndex >= 0 || e.textContent.split('\n').some(line => [...line].length > 36);
    const what = e.textContent.trim().slice(0, 40);
    if (scrolls && e.tabIndex < 0) faults.push(`no key scrolls the code ${what}`);
    if (!scrolls && e.tabIndex >= 0) faults.push(`a stop at code that does not scroll: ${what}`);
    if (e.tabIndex >= 0 && !e.ariaLabel && !e.getAttribute('aria-labelledby')) faults.push(`a stop at code without a name: ${what}`);
  }
  return faults;
  function style(e) { return getComputedStyle(e); }
}

// copies finds buttons whose names do not say what they copy.
function copies() {
  const names = [...document.querySelectorAll('[data-copy]')].filter(e => e.checkVisibility())
    .map(e => (e.ariaLabel ?? e.textContent).trim().replace(/\s+/g, ' '));
  return names.filter((name, i) => /^(Copier|Copy)$/.test(name) || names.indexOf(name) !== i)
    .map(name => `a button “${name}” does not say what it copies`);
}

// crumbs finds ways back that are not a navigation with a list.
function crumbs() {
  const right = 'nav.crumb[aria-label] > ol:only-child';
  const ways = [...document.querySelectorAll('[class*=crumb]')];
  return ways.filter(e => !e.querySelector(':scope > ol')?.matches(right)).map(e => `a breadcrumb of its own kind: ${e.outerHTML.slice(0, 80)}`);
}

// drawings finds charts whose sentence has none of their figures. A year alone is no figure.
function drawings() {
  return [...document.querySelectorAll('svg[role=img]')].map(svg => svg.ariaLabel ?? '')
    .filter(said => !/\d/.test(said.replace(/\b(19|20)\d\d\b/g, ''))).map(said => `a drawing without figures: “${said}”`);
}
