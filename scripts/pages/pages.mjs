// Looks at the site in a browser. Every kind of page is opened wide and narrow, light and dark, in
// French and in English, from `palmares preview`; one of each kind from `palmares serve`; and some
// under a name of 80 characters; all of them as another operator has them, in his own colours and letters,
// with the pictures that other sites show; account pages from `palmares serve` in every way. With -short each
// kind is opened once, half of them wide, light and French, half narrow, dark and English. With
// -only=SITE/VIEW, two regular expressions (-only=preview/operation), the rest is left out. checks.mjs
// says what must hold; build/pages has a picture of each view, with -short of those with faults.
import fs from 'node:fs';

import { prepareAccounts } from './accounts.mjs';
import { check, checkSwitches, pictured, prepare } from './checks.mjs';
import { copyNamed, copyOperated, preview, serve } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { findViews, languages, sections } from './views.mjs';

const short = process.argv.includes('-short');
const [onlySite = '', onlyView = ''] = process.argv.find(arg => arg.startsWith('-only='))
  ?.slice('-only='.length).split('/') ?? [];
const wanted = site => new RegExp(onlySite).test(site);
const catalog = 'examples/catalog', pictures = 'build/pages';
const longNames = ['Le grand catalogue raisonné des outils que nous avons essayés pour de bon, un '
  + 'an', 'Palmares'.repeat(10)];
const atOnce = 10; // views of a walk
const heights = { 1280: 900, 390: 844 };
const faults = [];
const began = Date.now();
let looked = 0;

const wideFrench = { width: 1280, theme: 'light', language: 'fr' };
const narrowEnglish = { width: 390, theme: 'dark', language: 'en' };
const everyWay = [1280, 390].flatMap(width => ['light', 'dark'].flatMap(theme =>
  languages.map(language => ({ width, theme, language }))));

// look opens views one after the other in one way.
async function look(browser, { site, base, way, views, cookies, switches }) {
  const options = {
    viewport: { width: way.width, height: heights[way.width] }, colorScheme: way.theme,
    storageState: cookies && { cookies, origins: [] },
  };
  const scripted = await browser.newContext(options);
  // What there is without scripts does not depend on the theme: once is enough.
  const unscripted = (short || way.theme === 'light') &&
    await browser.newContext({ ...options, javaScriptEnabled: false });
  const page = await prepare(scripted, base);
  const plain = unscripted && await prepare(unscripted, base);
  const note = async (view, what, found) => {
    const name = [site, view.name, way.language, way.width, way.theme].join('-');
    try {
      faults.push(...(await found(name)).map(fault => `${name}${what} ${view.path}: ${fault}`));
    } catch (error) {
      faults.push(`${name}${what} ${view.path}: ${error.message}`);
    }
  };
  for (const view of views) {
    await note(view, '', name =>
      check(base, view, page, plain, sections[way.language], `${pictures}/${name}.png`));
    looked++;
  }
  if (switches) {
    await scripted.grantPermissions(['clipboard-write'], { origin: base });
    await note(views[0], ', switches', () => checkSwitches(base, views[0], page));
  }
  await scripted.close();
  if (unscripted) await unscripted.close();
}

// half returns every second view, from the first or the second on.
const half = (views, from) => views.filter((_, i) => i % 2 === from);

// accountTasks are the account pages, as those see them who have one and as everybody does.
async function accountTasks(browser) {
  const { base, accounts, views } = await prepareAccounts(browser, catalog);
  const tasks = [];
  for (const way of short ? [wideFrench, narrowEnglish] : everyWay) {
    for (const [who, all] of Object.entries(views(way.language))) {
      const some = short ? half(all, way === wideFrench ? 0 : 1) : all;
      tasks.push({ site: `account-${who}`, base, way, views: some, cookies: accounts[who]?.cookies ?? [] });
    }
  }
  return tasks;
}

// savePictures keeps what other sites show of an operator beside the pictures of pages.
async function savePictures(base) {
  const { data: [tool] } = await (await fetch(`${base}/api/v1/tools?limit=1`)).json();
  const { data: [retired] } = await (await fetch(`${base}/api/v1/cimetiere?limit=1`)).json();
  const of = {
    'card.png': '/og.png', 'card-tool.png': `/og/${tool.slug}.png`, 'card-retired.png': `/og/${retired.slug}.png`,
    'badge.svg': `/badge/${tool.slug}.svg`, 'badge-dark.svg': `/badge/${tool.slug}.svg?theme=dark`,
  };
  for (const [name, path] of Object.entries(of)) {
    const answer = await fetch(base + path);
    if (answer.ok) fs.writeFileSync(`${pictures}/operator-${name}`, Buffer.from(await answer.arrayBuffer()));
    else faults.push(`operator ${path}: ${answer.status}`);
  }
}

// walks are a task in parts, of which others run beside. Switches are tried once, where anybody reads.
function walks(task) {
  const parts = [];
  for (let from = 0; from < task.views.length; from += atOnce) {
    parts.push({ ...task, views: task.views.slice(from, from + atOnce), switches: from === 0 && !task.cookies && !onlyView });
  }
  return parts;
}

// plan says which views are opened on which site in which way.
async function plan(browser) {
  const tasks = wanted('account') ? await accountTasks(browser) : [];
  const everyKind = async (site, base, ways, choose = views => views) => {
    const views = {};
    for (const language of languages) views[language] = await findViews(base, language, faults);
    for (const way of ways) tasks.push({ site, base, way, views: choose(views[way.language], way) });
  };
  const once = (views, way) => half(views, way === wideFrench ? 0 : 1);

  if (wanted('preview')) {
    await everyKind('preview', await preview(catalog),
      short ? [wideFrench, narrowEnglish] : everyWay, short ? once : undefined);
  }
  if (!short && wanted('serve')) { // a first edition, of which pages have the least to tell
    const base = await serve(catalog, { history: false });
    await everyKind('serve', base, [wideFrench, narrowEnglish], once);
  }
  for (const [i, name] of longNames.entries()) {
    if (!wanted('name')) break;
    if (name.length !== 80) throw new Error(`${name} has ${name.length} characters`);
    const base = await preview(copyNamed(catalog, name));
    const views = await findViews(base, short ? 'en' : 'fr', []);
    const ways = short ? [narrowEnglish] : everyWay.filter(way => way.language === 'fr');
    for (const way of ways) {
      tasks.push({ site: `name${i + 1}`, base, way, views: views.slice(0, short ? 1 : 3) });
    }
  }
  if (wanted('operator')) {
    const base = await preview(copyOperated(catalog, 'Pistes'));
    await everyKind('operator', base, short ? [narrowEnglish] : [wideFrench, narrowEnglish],
      views => (short ? views.slice(0, 4) : views));
    await savePictures(base);
  }
  const chosen = tasks.map(task => (
    { ...task, views: task.views.filter(view => new RegExp(onlyView).test(view.name)) }));
  return chosen.filter(task => task.views.length > 0).flatMap(walks);
}

export async function run(browser) {
  fs.rmSync(pictures, { recursive: true, force: true });
  fs.mkdirSync(pictures, { recursive: true });
  const tasks = await inTurn(() => plan(browser));
  if (tasks.length === 0) throw new Error('there is no such view');
  await Promise.all(tasks.map(task => inTurn(async () => {
    await look(browser, task);
    const { width, theme, language } = task.way;
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`   ${task.site}, ${width} px, ${theme}, ${language}: ${task.views.length} views, ${seconds} s`);
  })));
  for (const fault of faults) console.error(fault);
  console.log(`${looked} views, ${faults.length} faults; ${pictured(pictures)}`);
  return faults.length;
}
