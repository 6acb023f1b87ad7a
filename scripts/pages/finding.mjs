// Somebody comes to the front page and looks for a tool for code that costs at most 20 € a month and has a score of 8 or
// more. Three actions have to do, wide and narrow, with scripts and without, in both languages. With scripts, the search
// field suggests a tool by the first letters of its name, and the keyboard chooses it.
import { preview } from './servers.mjs';
import { inTurn } from './turns.mjs';

const most = 3;

export function run(browser) { return inTurn(() => walk(browser)); }

async function walk(browser) {
  const base = await preview('examples/catalog');
  let faults = 0;
  for (const width of [1280, 390]) for (const javaScriptEnabled of [true, false]) for (const path of ['/', '/en/']) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, javaScriptEnabled });
    const page = await context.newPage();
    const what = `${path} at ${width}, ${javaScriptEnabled ? 'with' : 'without'} scripts`;
    const wrong = await find(page, base + path).catch(e => [e.message]);
    if (javaScriptEnabled) wrong.push(...await suggest(page, base + path).catch(e => [e.message]));
    for (const fault of wrong) console.log(`${what}: ${fault}`);
    faults += wrong.length;
    await context.close();
  }
  console.log(`finding a tool: ${faults} faults`);
  return faults;
}

// find does it as a reader would, counts what that takes, and looks at what is listed.
async function find(page, front) {
  let actions = 0;
  const act = async link => {
    actions++;
    await link.click({ timeout: 10_000 }); // what is not in sight cannot be clicked
    await page.waitForLoadState();
  };
  await page.goto(front);
  await act(page.locator('main table.best th a', { hasText: /^Code/ }));
  await act(page.locator('main .refine a', { hasText: '20' }));
  await act(page.locator('main .refine a', { hasText: '8' }));
  const faults = actions > most ? [`it took ${actions} actions`] : [];
  const listed = new URL(page.url()).searchParams;
  for (const [name, value] of [['category', 'code'], ['price_max', '20'], ['score_min', '8']]) {
    if (listed.get(name) !== value) faults.push(`${page.url()} has no ${name}=${value}`);
  }
  const rows = await page.locator('table.rank tbody tr').evaluateAll(all => all.map(row => ({
    score: row.querySelector('.score').textContent, price: row.querySelector('.meta:last-child').textContent,
  })));
  if (rows.length === 0) faults.push('nothing is listed');
  const number = text => Number(text.match(/\d+(?:[.,]\d+)?/)[0].replace(',', '.'));
  for (const { score, price } of rows) {
    if (number(score) < 8 || number(price) > 20) faults.push(`${score} for ${price} is listed`);
  }
  return faults;
}

// suggest types the beginning of a name and takes what is suggested first.
async function suggest(page, front) {
  await page.goto(front);
  const loaded = page.waitForResponse(r => r.url().endsWith('/noms.json'));
  const field = page.locator('#find');
  await field.focus();
  await loaded;
  await field.pressSequentially('échaf');
  await page.locator('#find-list [role=option]').first().waitFor({ timeout: 10_000 });
  await field.press('ArrowDown');
  const chosen = await field.getAttribute('aria-activedescendant');
  const name = await page.locator(`#${chosen}`).textContent();
  await Promise.all([page.waitForURL('**/echafaude-3'), field.press('Enter')]);
  return name === 'Échafaude 3' ? [] : [`${name} is suggested`];
}
