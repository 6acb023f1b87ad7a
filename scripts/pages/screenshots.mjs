// Writes the pictures of the README into docs/screenshots: the beginning of the front page, of the
// list and of a tool's page.
import fs from 'node:fs';

import { preview } from './servers.mjs';
import { findViews } from './views.mjs';

const target = 'docs/screenshots', most = 200_000; // bytes: each stays in git for good

export async function run(browser) {
  fs.mkdirSync(target, { recursive: true });
  const base = await preview('examples/catalog');
  const views = await findViews(base, 'fr', []);
  const page = await browser.newPage({ viewport: { width: 1280, height: 1200 }, colorScheme: 'light' });
  for (const name of ['landing', 'tools', 'tool']) {
    await page.goto(base + views.find(view => view.name === name).path);
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const path = `${target}/${name}.png`;
    const { length } = await page.screenshot({ path });
    console.log(`${path}: ${length} bytes`);
    if (length > most) throw new Error(`${path} has more than ${most} bytes`);
  }
  await page.close();
  return 0;
}
