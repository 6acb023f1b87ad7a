// The names on maps of prices and scores, as chromium sets them: on 50 random catalogs, wide and narrow, no two that show
// meet and none leaves its drawing, those that show under a pointer included. -short looks at four catalogs.
import fs from 'node:fs';
import path from 'node:path';
import { visitGenerated } from './servers.mjs';
import { inTurn } from './turns.mjs';

export function run(browser, args) { return inTurn(() => walk(browser, args.includes('-short') ? 4 : 50)); }

// odd are names that are hard to place: long ones, wide ones, signs of other typefaces, and what HTML escapes.
const odd = [
  n => `L’Assistant universel de rédaction et de veille des Ébénistes ${n}`, n => `WWMM Œuvre ${n}`, n => `翻訳ツール ${n}`,
  n => `A & B <c> ${n}`, n => `Переводчик Ш ${n}`, n => `il ${n}`, n => `“Voix” — 12 % … ${n}`,
];

async function walk(browser, catalogs) {
  let faults = 0, seen = 0;
  const context = await browser.newContext();
  const page = await context.newPage();
  for (let seed = 1; seed <= catalogs; seed++) {
    const tools = 6 + (seed * 211) % 700;
    await visitGenerated({ tools, seed }, directory => rename(directory, seed), async base => {
      for (const width of [1280, 390]) for (const at of ['/carte', '/carte?category=code', '/en/map?price_max=20']) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(base + at);
        const found = await page.evaluate(measure);
        seen += found.names;
        for (const fault of found.faults) console.log(`seed ${seed}, ${tools} tools, ${at} at ${width}: ${fault}`);
        faults += found.faults.length;
      }
    });
  }
  await context.close();
  console.log(`labels: ${seen} on ${catalogs} catalogs, ${faults} faults`);
  return faults + (seen > 0 ? 0 : 1);
}

// rename gives every fifth tool of a catalog an odd name.
function rename(directory, seed) {
  const tools = path.join(directory, 'tools');
  fs.readdirSync(tools).sort().forEach((file, i) => {
    if ((i + seed) % 5 > 0) return;
    const text = fs.readFileSync(path.join(tools, file), 'utf8');
    fs.writeFileSync(path.join(tools, file), text.replace(/^name: .*$/m, `name: ${JSON.stringify(odd[(i + seed) % odd.length](i))}`));
  });
}

// measure runs in the page.
async function measure() {
  await document.fonts.ready;
  const faults = [];
  let names = 0;
  for (const svg of document.querySelectorAll('svg.chart.map')) {
    if (!svg.checkVisibility()) continue;
    const { width, height } = svg.viewBox.baseVal;
    const texts = [...svg.querySelectorAll('text')].map(text => {
      const { x, y, width, height } = text.getBBox();
      return { said: text.textContent, left: x, top: y, right: x + width, bottom: y + height, shows: getComputedStyle(text).visibility === 'visible' };
    });
    names += texts.length;
    for (const t of texts) {
      if (t.left < 0 || t.top < 0 || t.right > width || t.bottom > height) {
        faults.push(`${t.said} leaves the drawing: ${[t.left, t.top, t.right, t.bottom].map(Math.round)}`);
      }
    }
    const shown = texts.filter(t => t.shows);
    shown.forEach((a, i) => {
      for (const b of shown.slice(i + 1)) {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) faults.push(`${a.said} meets ${b.said}`);
      }
    });
  }
  return { faults, names };
}
