// What must hold for readers who see, type or hear pages in their own way, beyond what axe looks at. Each
// check is given a page that is open, and leaves it as it was.

const widths = [320, 360];

export async function checkAccess(page) {
  const before = page.viewportSize();
  const faults = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: before.height });
    faults.push(...(await page.evaluate(sideways)).map(fault => `at ${width} px: ${fault}`));
    faults.push(...(await page.evaluate(headless)).map(fault => `at ${width} px: ${fault}`));
  }
  await page.setViewportSize({ width: 1280, height: before.height });
  faults.push(...await withLargeText(page));
  await page.setViewportSize(before);
  faults.push(...await inForcedColours(page));
  return faults.map(fault => `access: ${fault}`);
}

// withLargeText doubles the reader's own size of text, by which pages measure everything.
async function withLargeText(page) {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    return (await page.evaluate(sideways)).map(fault => `with text of 200 %: ${fault}`);
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
  return [`scrolls sideways by ${wide} px: ${found.at(-1)?.outerHTML.slice(0, 120)}`];
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
