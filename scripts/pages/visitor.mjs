// A visitor uses pages as a person does: reads, types, presses buttons. Every page that comes into
// sight is checked, and the time that a person would take is counted.
import { audit, pictured, policyFaults, prepare, takePicture } from './checks.mjs';

const right = {}; // the pages that were found right, as they looked, by window
const pace = { page: 1, character: 1 / 5, mail: 5 }; // seconds

export function must(holds, what) { if (!holds) throw new Error(what); }

// visit opens a browser window of a width, with or without scripts, and with the cookies of another.
export async function visit(browser, { base, width, height, theme, script, pictures, name, cookies = [] }) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: theme, javaScriptEnabled: script, locale: 'fr-FR', storageState: { cookies, origins: [] },
  });
  if (script) await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base });
  context.setDefaultTimeout(20_000);
  const reader = script ? undefined : await browser.newPage({ viewport: { width, height }, colorScheme: theme });
  const window = JSON.stringify([width, height, theme, script]);
  const known = right[window] ??= new Set();
  return new Visitor(await prepare(context, base), { base, pictures, name, reader, scripted: script, known });
}

// takeSteps takes a traveller, who has a name and a visitor, through steps of a journey. One that fails is the last.
export async function takeSteps(journey, self, steps) {
  const { name, visitor } = self, began = Date.now();
  try {
    for (const step of steps) {
      await step(self);
      console.log(`   ${journey}, ${name}: ${step.name}, ${Math.round((Date.now() - began) / 1000)} s`);
    }
  } catch (error) {
    visitor.quiet = false;
    await visitor.look().catch(() => {});
    visitor.faults.push(error.stack);
  }
  for (const fault of visitor.faults) console.error(`${journey}, ${name}: ${fault}`);
  await visitor.page.context().close();
  return visitor;
}

// report says what the visitors of a journey have seen, and returns the number of faults.
export function report(journey, visitors, pictures) {
  const sum = what => visitors.reduce((all, visitor) => all + what(visitor), 0);
  const faults = sum(visitor => visitor.faults.length);
  console.log(`${journey}: ${sum(v => v.seen)} pages seen, ${sum(v => v.alike)} of them like others, ${faults} faults; ${pictured(pictures)}`);
  return faults;
}

class Visitor {
  constructor(page, options) {
    Object.assign(this, { page, ...options }); // base, pictures, name, reader, scripted, known
    this.faults = [];
    this.seen = 0;
    this.alike = 0; // of those seen, the ones that look like others
    this.seconds = 0; // of a person's time
  }

  // go types an address into the browser; press is for what pages offer.
  async go(path) {
    await this.#arriving(() => this.page.goto(this.base + path, { waitUntil: 'load' }));
  }

  // press presses a button or follows a link of the page by what it says, and sees the next page.
  async press(what, within = 'main', status = 200) {
    const found = await this.find('button, a', what, within);
    await this.#arriving(() => Promise.all([
      this.page.waitForNavigation({ waitUntil: 'load' }), found.click(),
    ]).then(([response]) => response), status);
  }

  // leave presses a link to another site, does something there that comes back, and sees where it
  // comes back to. What the other site shows is not checked.
  async leave(what, origin, there) {
    const found = await this.find('a', what);
    this.page.elsewhere = [origin];
    await Promise.all([this.page.waitForURL(`${origin}/**`), found.click()]);
    await this.#arriving(async () => {
      await Promise.all([this.page.waitForURL(`${this.base}/**`, { waitUntil: 'load' }), there(this.page)]);
      this.page.faults = this.page.faults.filter(fault => !fault.startsWith('console: Failed to load')); // its icon
    }, 0);
    this.page.elsewhere = [];
  }

  // tick ticks the boxes whose labels name something, and no others of their group.
  async tick(group, names) {
    const boxes = this.page.locator(group).getByRole('checkbox');
    for (let i = 0; i < await boxes.count(); i++) {
      const label = await boxes.nth(i).locator('xpath=ancestor::label').innerText();
      await boxes.nth(i).setChecked(names.some(name => label.startsWith(name)));
    }
  }

  // reload asks for the page again, with the form that it answered.
  async reload(status = 200) {
    await this.#arriving(() => this.page.reload({ waitUntil: 'load' }), status);
  }

  // fill types into a field by its label.
  async fill(label, text) {
    const field = await this.field(label);
    await field.fill(text);
    this.seconds += text.length * pace.character;
  }

  // choose chooses an option of a list by what it says.
  async choose(label, what) {
    const field = await this.field(label);
    const options = await field.locator('option').allInnerTexts();
    const option = options.findIndex(text => what.test(text));
    if (option < 0) throw new Error(`${this.at()}: ${label} has no ${what}: ${options}`);
    await field.selectOption({ index: option });
  }

  // field finds the field of a label, and unfolds what hides it.
  async field(label, within = 'main') {
    const fields = this.page.locator(within).getByLabel(label)
      .and(this.page.locator('input, select, textarea'));
    return this.#unfold(fields, `field ${label}`);
  }

  // find finds a part of the page by what it says, and unfolds what hides it.
  async find(selector, what, within = 'main') {
    const all = this.page.locator(within).locator(selector).filter({ hasText: what });
    return this.#unfold(all, what);
  }

  // text is what the page says.
  async text() {
    return (await this.page.locator('main').innerText()).replace(/[\u00a0\u202f]/g, ' ');
  }

  // wants expects the page to say something, and loads it again until it does.
  async wants(what, { again = false } = {}) {
    for (let tries = 0; tries < 100; tries++) {
      if (what.test(await this.text())) return;
      await this.page.waitForTimeout(200);
      // A page that renews itself may begin just then, and ends this.
      if (again) await this.page.reload({ waitUntil: 'load' }).catch(error => must(/ERR_ABORTED/.test(error.message), error.stack));
    }
    throw new Error(`${this.at()} does not say ${what}:\n${await this.text()}`);
  }

  // takeMail is a person who looks for a mail.
  async takeMail(mail, to) {
    this.seconds += pace.mail;
    return mail.next(to);
  }

  // save presses what gives a file, and returns the file.
  async save(what) {
    const found = await this.find('button, a', what);
    const [download] = await Promise.all([this.page.waitForEvent('download'), found.click()]);
    const parts = [];
    for await (const part of await download.createReadStream()) parts.push(part);
    // Chromium ends the navigation that has become a download.
    this.page.faults = this.page.faults.filter(fault => !fault.endsWith('fails: net::ERR_ABORTED'));
    return { name: download.suggestedFilename(), text: Buffer.concat(parts).toString() };
  }

  // quietly does something on pages that another journey checks.
  async quietly(what) {
    this.quiet = true;
    await what();
    this.quiet = false;
  }

  cookies() { return this.page.context().cookies(); }

  at() { return new URL(this.page.url()).pathname; }

  async #arriving(navigate, status = 200) { // a status of 0 is not looked at
    this.page.wanted = status;
    const response = await navigate();
    this.seconds += pace.page;
    await this.#ask(() => document.fonts.ready.then(() => {}));
    if (status && response?.status() !== status) this.faults.push(`${this.at()}: status ${response?.status()}`);
    await this.look();
  }

  // look checks the page as it stands. One that has loaded another meanwhile, as that of a payment does, is looked
  // at again.
  async look() {
    if (this.quiet) return;
    const picture = `${this.pictures}/${this.name}-${String(++this.seen).padStart(2, '0')}.png`;
    let began, found;
    for (let tries = 0; tries < 5 && began !== await this.#loaded(); tries++) {
      began = await this.#loaded();
      const checks = async () => [
        ...await audit(this.page, [], { ...this, alike: () => this.alike++ }), ...await policyFaults(this.page)];
      found = await checks().catch(error => [error.stack]);
    }
    await takePicture(this.page, picture, found);
    this.faults.push(...found.map(fault => `${this.at()}, ${picture}: ${fault}`));
  }

  // loaded is when the page began to load, which tells it from the next one.
  #loaded() { return this.#ask(() => performance.timeOrigin); }

  // ask runs a function in the page, or in the one that came instead meanwhile.
  async #ask(what) {
    for (let tries = 0; ; tries++) {
      await this.page.waitForLoadState('load');
      try {
        return await this.page.evaluate(what);
      } catch (error) {
        if (tries === 9 || !/Execution context was destroyed/.test(error.message)) throw error;
      }
    }
  }

  // unfold returns the first element that can be seen, or opens what the first is folded into.
  async #unfold(all, what) {
    const count = await all.count();
    for (let i = 0; i < count; i++) if (await all.nth(i).isVisible()) return all.nth(i);
    for (let i = 0; i < count; i++) {
      const folds = all.nth(i).locator('xpath=ancestor::details[not(@open)]');
      for (let n = await folds.count(); n > 0; n = await folds.count()) {
        await folds.first().locator('> summary').click();
      }
      if (await all.nth(i).isVisible()) return all.nth(i);
    }
    throw new Error(`${this.at()} has no ${what} in sight:\n${await this.text()}`);
  }
}
