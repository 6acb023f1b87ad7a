// What a reader sees of the front page before scrolling, wide and on a phone: what this is, why to trust it and where to
// begin. The masthead of a phone leaves the window to the page.
import { preview } from './servers.mjs';
import { inTurn } from './turns.mjs';

const first = ['main h1', 'main .lede', 'main form.find', 'main .ways', 'main .proofs div'];
const windows = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];
const highest = 150; // of a phone's masthead

export function run(browser) { return inTurn(() => walk(browser)); }

async function walk(browser) {
  const base = await preview('examples/catalog');
  let faults = 0;
  for (const viewport of windows) for (const path of ['/', '/en/', '/outils', '/en/tools']) {
    const page = await browser.newPage({ viewport });
    await page.goto(base + path, { waitUntil: 'load' });
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const wrong = [];
    const box = what => page.locator(what).first().boundingBox();
    if (/^\/(en\/)?$/.test(path)) {
      for (const what of first) {
        const { x, y, width, height } = await box(what);
        const inside = x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height;
        if (!inside) wrong.push(`${what} ends at ${Math.round(x + width)}, ${Math.round(y + height)}`);
      }
    }
    const { height } = await box('header');
    if (viewport.width === 390 && height > highest) wrong.push(`the masthead is ${height} px high, ${highest} at most`);
    for (const fault of wrong) console.log(`${path} at ${viewport.width}: ${fault}`);
    faults += wrong.length;
    await page.close();
  }
  console.log(`first screen: ${faults} faults`);
  return faults;
}
