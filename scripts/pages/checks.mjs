// What must hold on every page. Each check returns the faults that it found.
import fs from 'node:fs';

import { checkAccess } from './access.mjs';
import { checkHeading } from './headings.mjs';
import { checkTree } from './tree.mjs';

// short is the form in which pages are looked at less often.
export const short = process.argv.includes('-short');
const axe = fs.readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

// check opens a view in two pages, one that runs scripts and one that does not, and returns what
// is wrong with it. Without a second page it checks the first alone. The picture is of the first.
export async function check(base, view, page, plain, sections, picture) {
  const faults = await open(base, view, page);
  faults.push(...await audit(page, sections));
  await takePicture(page, picture, faults);
  if (!plain) return faults;

  faults.push(...(await open(base, view, plain)).map(fault => `without script: ${fault}`));
  faults.push(...(await plain.evaluate(dead)).map(what => `without script: ${what}`));
  const unscripted = await plain.evaluate(hidden);
  const without = await plain.evaluate(content, unscripted);
  const withScript = await page.evaluate(content, unscripted);
  for (const what of Object.keys(without)) {
    const missing = withScript[what].filter(line => !without[what].includes(line));
    const added = without[what].filter(line => !withScript[what].includes(line));
    if (missing.length > 0) faults.push(`without script, missing ${what}: ${missing.slice(0, 3)}`);
    if (added.length > 0) faults.push(`without script, other ${what}: ${added.slice(0, 3)}`);
  }
  return faults;
}

// takePicture takes the picture of a page; in the short form, of one with faults alone.
export async function takePicture(page, path, faults) {
  if (!short || faults.length > 0) await page.screenshot({ path, fullPage: true });
}

// pictured says where the pictures are.
export const pictured = directory => `pictures${short ? ' of those with faults' : ''} are in ${directory}`;

// audit returns what is wrong with the page that is open. axe does not run where scripts do not: a
// reader then opens the same markup, without the page's own scripts. A page that looks like one of those
// that are known to be right in such a window is right too.
export async function audit(page, sections, { reader = page, known = new Set(), alike = () => {} } = {}) {
  const faults = [...await page.evaluate(inPage, sections), ...await checkHeading(page, page.wanted)];
  faults.push(...page.faults.splice(0)); // of what was loaded when it came into sight
  const look = await page.evaluate(appearance);
  if (known.has(look)) {
    alike();
    return faults;
  }
  if (reader !== page) {
    const body = (await page.content()).replace(/<script[^]*?<\/script>/g, '');
    await reader.route(page.url(), route => route.fulfill({ contentType: 'text/html', body }), { times: 1 });
    await reader.goto(page.url(), { waitUntil: 'load' });
  }
  await reader.evaluate(axe);
  const violations = await reader.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations);
  for (const v of violations) {
    faults.push(...v.nodes.slice(0, 3).map(node => `axe: ${v.id}: ${node.html.slice(0, 160)}`));
  }
  faults.push(...await checkTree(reader), ...await checkAccess(page, reader === page));
  if (faults.length === 0) known.add(look);
  return faults;
}

// policyFaults are what the policy has refused on the page that is open.
export async function policyFaults(page) {
  const refused = await page.evaluate(() => globalThis.refused ?? []);
  return refused.map(what => `policy: ${what}`);
}

// checkSwitches tries what only scripts make useful: the theme's switch, which later pages obey,
// and the first button that copies.
export async function checkSwitches(base, view, page) {
  const faults = await open(base, view, page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.click('[data-dark]');
  await open(base, view, page);
  if (await ground() === before) faults.push('the theme that a reader chose is gone on the next page');
  await page.click('[data-dark]');
  if (await ground() !== before) faults.push('the first theme does not come back');
  const copy = page.locator('[data-copy]').first();
  await copy.click();
  const done = await copy.getAttribute('data-done');
  await copy.filter({ hasText: done }).waitFor({ timeout: 5000 })
    .catch(() => faults.push('the first button that copies does not'));
  const told = await page.locator('[role=status]').allInnerTexts();
  if (!told.some(text => text.includes(done))) faults.push('nobody hears that it was copied');
  return [...faults, ...page.faults.splice(0)];
}

// prepare makes a context report to `page.faults` what happens while its pages load.
export async function prepare(context, base) {
  await context.addInitScript(() => {
    globalThis.refused = [];
    document.addEventListener('securitypolicyviolation', event => {
      globalThis.refused.push(`${event.violatedDirective} refuses ${event.blockedURI}`);
    });
  });
  const page = await context.newPage();
  page.faults = [];
  page.elsewhere = []; // other origins that may be asked
  page.on('pageerror', error => page.faults.push(`error of a script: ${error}`));
  page.on('request', request => {
    const own = [base, ...page.elsewhere].some(origin => request.url().startsWith(`${origin}/`));
    if (!own) page.faults.push(`asks ${request.url()}`);
  });
  page.on('requestfailed', request => {
    // The browser itself gives up a request when its page is left, as one that renews itself may be.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    page.faults.push(`${request.url()} fails: ${request.failure()?.errorText}`);
  });
  page.on('response', response => {
    const own = response.request().isNavigationRequest();
    if (!own && response.status() >= 400) page.faults.push(`${response.url()}: ${response.status()}`);
  });
  page.on('console', message => {
    // Chromium writes such a line of its own about every page with such a status.
    const own = message.location().url === page.url() &&
      /^Failed to load resource: .* status of [45]\d\d /.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !(own && page.wanted >= 400)) {
      page.faults.push(`console: ${message.text()}`);
    }
  });
  return page;
}

async function open(base, view, page) {
  // What the page before has still under way ends with it, and is no fault of this one. A text of the same site comes
  // between them: Chromium starts a process for each change of site.
  await page.goto(`${base}/robots.txt`);
  page.faults.length = 0;
  page.wanted = view.status;
  const response = await page.goto(base + view.path, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  const faults = page.faults.splice(0);
  if (response.status() !== view.status) {
    faults.push(`status ${response.status()}, want ${view.status}`);
  }
  return [...faults, ...await policyFaults(page)];
}

// The functions below run in the page, and see nothing of what is above.

// inPage looks at headings, widths, the prices of plans and the masthead.
function inPage(sections) {
  const faults = [];
  const headings = document.querySelectorAll('h1').length;
  if (headings !== 1) faults.push(`${headings} h1`);
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) {
    // What is wide inside an element that scrolls by itself is not to blame.
    const contained = e => e !== document.body &&
      (getComputedStyle(e).overflowX !== 'visible' || contained(e.parentElement));
    const widest = [...document.body.querySelectorAll('*')].findLast(e =>
      e.getBoundingClientRect().right > innerWidth + 1 && !contained(e.parentElement));
    faults.push(`scrolls sideways by ${wide} px: ${widest?.outerHTML.slice(0, 120)}`);
  }
  for (const price of document.querySelectorAll('.plans thead small')) {
    if (!price.checkVisibility()) faults.push(`a plan hides its price: ${price.textContent}`);
  }
  scrollTo(0, 0);
  for (const path of sections) {
    const link = document.querySelector(`header nav a[href="${path}"]`);
    const box = link?.getBoundingClientRect();
    const inside = box && box.width > 0 && box.left >= 0 && box.right <= innerWidth &&
      box.top >= 0 && box.bottom <= innerHeight;
    const there = inside && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!there || !link.contains(there)) faults.push(`${path} is not in sight in the masthead`);
  }
  return faults;
}

// appearance is all that the checks of a page depend on. What hidden fields hold nobody sees.
function appearance() {
  const page = document.documentElement.cloneNode(true);
  for (const e of page.querySelectorAll('input[type=hidden]')) e.removeAttribute('value');
  const fields = [...document.querySelectorAll('input:not([type=hidden]), select, textarea')].map(f => [f.value, f.checked]);
  return JSON.stringify([location.pathname, fields, page.outerHTML]);
}

// dead lists what a reader without scripts can see and use to no effect.
function dead() {
  const faults = [];
  for (const b of document.querySelectorAll('button, [role=button], input[type=button]')) {
    const sends = b.form && ['submit', 'reset', 'image'].includes(b.type);
    if (b.checkVisibility() && !sends) faults.push(`does nothing: ${b.outerHTML.slice(0, 120)}`);
  }
  for (const a of document.querySelectorAll('a')) {
    const href = a.getAttribute('href');
    const lost = !href || href === '#' ||
      href.startsWith('#') && !document.getElementById(decodeURIComponent(href.slice(1)));
    if (lost) faults.push(`leads nowhere: ${a.outerHTML.slice(0, 120)}`);
  }
  for (const form of document.forms) {
    if (!form.querySelector('button:not([type=button]), input[type=submit]')) {
      faults.push(`cannot be sent: form ${form.action}`);
    }
  }
  return faults;
}

// hidden names the elements that a page shows only when its script runs.
function hidden() {
  const name = e => e.tagName + [...e.attributes].filter(a => a.name !== 'hidden')
    .map(a => ` ${a.name}=${a.value}`).join('');
  return [...document.querySelectorAll('[hidden]')].map(name);
}

// content is what a page says and offers, but for the elements that hidden named.
function content(unscripted) {
  const name = e => e.tagName + [...e.attributes].filter(a => a.name !== 'hidden')
    .map(a => ` ${a.name}=${a.value}`).join('');
  for (const e of document.querySelectorAll('*')) {
    if (unscripted.includes(name(e))) e.style.setProperty('display', 'none', 'important');
  }
  const shown = e => e.checkVisibility();
  // The moment at which a page was made is another each time, and so is the time that is left.
  const line = text => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}(:|\sh\s?)\d{0,2}\sUTC/g, 'now')
    .replace(/[\d.,]+\s(h|min|s|ms|µs)\b/g, 'some $1').replace(/\s+/g, ' ')
    .replace(/just now|à l’instant|il y a [\da-z]+ [a-zé]+|[\da-z]+ [a-z]+ ago/g, 'lately').trim();
  return {
    text: document.body.innerText.split('\n').map(line).filter(Boolean),
    links: [...document.links].filter(shown).map(a => `${a.href} ${line(a.innerText)}`),
    forms: [...document.forms].map(form => `${form.method} ${form.action}`),
    fields: [...document.querySelectorAll('input, select, textarea, button')].filter(shown)
      .map(f => `${f.tagName} ${f.type} ${f.name}=${f.value}`),
  };
}
