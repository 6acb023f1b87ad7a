// What people come for, each from the front page of `palmares serve` with real clicks, which are counted: wide with
// scripts, and narrow without. A task that takes more than its limit is a fault. Typing is free; what is pressed or
// chosen counts.
import { serveAccounts } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { must } from './visitor.mjs';

const tasks = [
  ['compare two tools, neither typed exactly', 3, async hand => {
    await hand.click('main a[href="/comparer"]');
    await hand.type('#q1', 'tourneviss');
    await hand.type('#q2', 'ocrel');
    await hand.click('main form[action="/comparer"] button');
    await hand.click('main .pick .acts a');
    await hand.sees('main .corners', 'Tournevis', 'Ocrelle');
  }],
  ['follow five tools', 7, async hand => {
    await hand.click('main a[href="/suivi"]');
    for (let i = 0; i < 5; i++) await hand.click(`main .boxes label >> nth=${i}`);
    await hand.click('main form.stack button');
    const list = new URL(hand.page.url()).searchParams.getAll('outils').join(',').split(',');
    must(list.length === 5, `${list} are followed`);
    await hand.sees('main', '/flux/suivi.atom?');
  }],
  ['find what a tool costs', 1, async hand => {
    await hand.type('#find', 'Cellulose');
    await hand.enter('#find');
    await hand.sees('main table.results', 'Cellulose 12', '€/mois');
  }],
  ['find what replaces a retired tool', 2, async hand => {
    await hand.type('#find', 'copeau classique');
    await hand.enter('#find');
    await hand.click('main .notice a[href="/outils/copeau"]');
    await hand.sees('h1', 'copeau');
  }],
  ['find the best of a category', 2, async hand => {
    await hand.click('main table.best a[href="/categories/image"]');
    await hand.click('main table.rank tbody a >> nth=0');
    await hand.sees('h1', 'Ocrelle');
  }],
  ['read how to call the API', 1, async hand => {
    await hand.click('main .hero a[href="#appel"]');
    await hand.sees('#appel', 'curl', '/api/v1/');
    must(await hand.page.locator('#appel h2').evaluate(h => h.getBoundingClientRect().top < innerHeight), 'it is not in sight');
  }],
  ['download all tools', 2, async hand => {
    await hand.click('footer a[href="/donnees"]');
    const download = hand.page.waitForEvent('download');
    await hand.click('main a[href="/api/v1/export/tools.csv"]');
    must((await download).suggestedFilename().endsWith('.csv'), 'nothing is downloaded');
  }],
  ['report an error', 4, async hand => {
    await hand.click('main table.best .who a >> nth=0');
    await hand.click('main a[href^="/signaler/"]');
    await hand.choose('#field', 'price');
    await hand.type('#right', '26 €/mois depuis lundi.');
    await hand.click('main form.report button');
    await hand.sees('main [role=status]', 'Merci');
  }],
  ['read a tool in the other language', 2, async hand => {
    await hand.click('main table.best .who a >> nth=0');
    const { pathname } = new URL(hand.page.url());
    await hand.click('header a[hreflang=en]');
    const now = new URL(hand.page.url()).pathname;
    must(now === pathname.replace('/outils/', '/en/tools/'), `${now} is not ${pathname}`);
  }],
  ['get a key', 4, async (hand, { mail, email }) => {
    await hand.click('header .mast a.btn');
    await hand.type('input[type=email]', email);
    await hand.click('main form button');
    const { text } = await mail.next(email);
    const code = text.replace(/https?:\/\/\S+/g, '').match(/(?<!\d)\d{3}\s?\d{3}(?!\d)/)[0];
    await hand.type('main input[autocomplete=one-time-code]', code);
    await hand.click('main form:has(input[autocomplete=one-time-code]) button');
    await hand.click('main button:has-text("Créer ma clé")');
    must(/plm_[0-9A-Za-z]{36}/.test(await hand.page.locator('main').innerHTML()), 'there is no key');
  }],
];

const ways = [{ width: 1280, height: 900, javaScriptEnabled: true }, { width: 390, height: 844, javaScriptEnabled: false }];

export function run(browser) { return inTurn(() => walk(browser)); }

async function walk(browser) {
  const service = await serveAccounts('examples/catalog');
  let faults = 0, clicks = [];
  for (const { javaScriptEnabled, ...viewport } of ways) {
    const context = await browser.newContext({ viewport, javaScriptEnabled, locale: 'fr-FR' });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const own = { mail: service.mail, email: `tasks.${viewport.width}@example.org` };
    for (const [name, most, task] of tasks) {
      const hand = new Hand(page);
      const fault = await page.goto(service.base).then(() => task(hand, own)).then(
        () => hand.clicks > most && `it takes ${hand.clicks} clicks, ${most} at most`, error => error.message);
      clicks.push(hand.clicks);
      if (fault) console.log(`to ${name}, at ${viewport.width}: ${fault}`);
      faults += fault ? 1 : 0;
    }
    await context.close();
  }
  await service.end();
  console.log(`tasks: ${tasks.length} from the front page, in ${clicks.join(', ')} clicks, ${faults} faults`);
  return faults;
}

// A Hand does what a reader does, and counts it.
class Hand {
  constructor(page) { Object.assign(this, { page, clicks: 0 }); }

  async click(what) { await this.#act(() => this.page.locator(what).click()); }

  async enter(what) { await this.#act(() => this.page.locator(what).press('Enter')); }

  async choose(what, value) { await this.#act(() => this.page.locator(what).selectOption(value)); }

  type(what, text) { return this.page.locator(what).fill(text); }

  async #act(act) {
    this.clicks++;
    await act();
    await this.page.waitForLoadState();
  }

  async sees(where, ...texts) {
    const said = await this.page.locator(where).first().textContent();
    for (const text of texts) must(said.includes(text), `${this.page.url()} does not say ${text} in ${where}`);
  }
}
