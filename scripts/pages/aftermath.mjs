// What may follow a purchase, as its buyer sees it: a renewal in draft, whose payment fails; the end after the last
// retry; a payment that comes after the end; a node with the key of another Stripe account; and an account that is
// deleted while its renewal is a draft. Against one node of `palmares serve` with PostgreSQL, Redis, a real SMTP server,
// and a stand-in for Stripe (scripts/stripefake): in French, wide and with scripts, and then in English, narrow and
// without, for Stripe is away in a part of it. Orders are looked at in subscription.mjs. build/pages has a picture of
// each state in both languages and themes, wide and narrow; with -short only narrow, and of those with faults.
import fs from 'node:fs';

import { buy, enter, next, signIn, ways } from './buyer.mjs';
import { short } from './checks.mjs';
import { copy, serveBilling, serveMistaken } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { must, report, takeSteps, visit } from './visitor.mjs';

const pictures = 'build/pages';
const steps = [
  renewalInDraft, paymentFails, endsAfterTheRetries, paidAfterTheEnd, anotherAccount, deletedInTheDraftHour,
];

async function travel(browser, service, way) {
  const { base } = service, visitor = await visit(browser, { ...way, base, pictures, name: `aftermath-${way.name}` });
  const self = { ...service, service, ...way, browser, visitor, email: `eve.${way.name}@example.org` };
  return takeSteps('aftermath', self, steps);
}

// see goes to the page of the plan, which may say something only once an event has arrived, and looks at it.
async function see({ visitor, words }, what) {
  await visitor.quietly(async () => {
    await visitor.go(words.plan);
    await visitor.wants(what, { again: true });
  });
  await visitor.look();
}

// show takes pictures of the page of the plan as it is now: in both themes, wide and narrow.
async function show(self, state, { base, visitor } = self) {
  if (short) return;
  for (const [width, height] of [[1280, 900], [390, 844]]) for (const theme of ['light', 'dark']) {
    const name = ['aftermath', state, self.language, width, theme].join('-');
    const window = { base, width, height, theme, script: true, pictures, name, cookies: await visitor.cookies() };
    const other = await visit(self.browser, window);
    await other.go(self.words.plan);
    visitor.faults.push(...other.faults);
    await other.page.context().close();
  }
}

// silent wants the owner to have got no mail but those that a step has taken.
async function silent({ mail, email }) {
  const rest = await mail.rest(email);
  must(rest.length === 0, `nobody expects these mails: ${rest}`);
}

// says wants a mail to say something, in one line.
function says(mail, what) {
  must(what.test(mail.text.replace(/\s+/g, ' ')), `the mail does not say ${what}:\n${mail.text}`);
}

// leads returns where a mail leads to pay an invoice.
const leads = ({ stripe }, mail) => mail.links.find(link => link.startsWith(`${stripe.url}/invoice/`));

// asks counts what the page has to pay an invoice with.
const asks = async ({ visitor, words }) =>
  await visitor.page.locator('main :is(a, button)').filter({ hasText: words.mend }).count() +
  await visitor.page.locator('.bills a').filter({ hasText: words.payRow }).count();

// A renewal is a draft for an hour: Pro goes on, and the page says that the payment is still to come.
async function renewalInDraft(self) {
  const { visitor, words, stripe, email } = self;
  await visitor.quietly(async () => {
    await signIn(self);
    await buy(self);
  });
  await stripe.control('period-end', { email });
  await see(self, words.renewing);
  await visitor.wants(words.active);
  await show(self, 'draft');
}

// The card has expired: page and mail say until when Pro stays, and lead to the invoice.
async function paymentFails(self) {
  const { visitor, words, stripe, email } = self;
  await stripe.control('expire-card', { email });
  await stripe.control('charge', { email });
  const notice = await next(self, words.mails.failed);
  self.invoice = leads(self, notice);
  must(self.invoice, `the mail has no link to pay: ${notice.links}`);
  await see(self, words.failed);
  for (const what of [words.until, words.expired]) await visitor.wants(what);
  const button = await (await visitor.find('a', words.mend)).getAttribute('href');
  must(button === self.invoice && await asks(self) === 2, `the page leads to ${button}, the mail to ${self.invoice}`);
  await show(self, 'failed');
}

// After the last retry the subscription is over: its invoice is void, nothing is owed, and nothing can be paid.
async function endsAfterTheRetries(self) {
  const { visitor, words, stripe, email } = self;
  await stripe.control('give-up', { email });
  const notice = await next(self, words.mails.ended);
  says(notice, words.owesNothing);
  must(!leads(self, notice), `the mail leads to an invoice that is void: ${notice.links}`);
  await see(self, words.developer);
  for (const what of [words.owesNothing, words.void]) await visitor.wants(what);
  must(await asks(self) === 0, 'the page asks for a payment');
  const paid = await visitor.page.context().request.post(self.invoice, { maxRedirects: 0 });
  must(paid.status() === 409, `the invoice of a subscription that is over takes money: ${paid.status()}`);
  await show(self, 'ended');
}

// An invoice is paid after the end, and before anybody heard of the end: it goes back, and gives nothing.
async function paidAfterTheEnd(self) {
  const { visitor, words, stripe, email } = self;
  await visitor.quietly(() => buy(self));
  await stripe.control('fail-payment', { email });
  const invoice = leads(self, await next(self, words.mails.failed));
  await stripe.control('away', { on: true });
  await stripe.control('give-up', { email });
  await new Promise(done => setTimeout(done, 1000)); // Stripe's times are whole seconds
  const paid = await visitor.page.context().request.post(invoice, { maxRedirects: 0 });
  await stripe.control('away', { on: false });
  must(paid.status() === 303, `the invoice is not paid: ${paid.status()}`);
  says(await next(self, words.mails.refunded), words.total);
  await next(self, words.mails.invoice);
  await next(self, words.mails.ended);
  await see(self, words.developer);
  await visitor.wants(words.refunded);
  must(await asks(self) === 0, 'the page asks for a payment');
  const { credit_notes: notes } = await stripe.kept(email);
  must(notes.length === 1 && notes[0].refunds[0].amount_refunded === 11781, `refunded: ${JSON.stringify(notes)}`);
  await silent(self);
  await show(self, 'refunded');
}

// A node has the key of another account at Stripe. It sells nothing, asks that account nothing about anybody, and takes
// Pro from nobody; its operator is told.
async function anotherAccount(self) {
  const { browser, visitor, words, service } = self;
  const mistaken = await (service.mistaken ??= serveMistaken(self));
  const name = `aftermath-${self.name}-other-account`;
  const lost = await visit(browser, { ...self, base: mistaken.base, name, pictures, cookies: await visitor.cookies() });
  const there = { ...self, base: mistaken.base, visitor: lost };
  await lost.go(words.plan);
  for (const what of [words.closed, words.refusal]) await lost.wants(what);
  must(await lost.page.locator('main a, main button').filter({ hasText: words.buy }).count() === 0, 'something is sold');
  await show(self, 'other-account', there);

  await visitor.quietly(() => buy(self));
  await lost.go(words.plan);
  await lost.wants(words.active);
  await lost.press(words.portal, 'main', 503);
  await lost.wants(words.refusal);
  await show(self, 'other-account-pro', there);
  visitor.faults.push(...lost.faults);
  await lost.page.context().close();

  const [ready, metrics] = await Promise.all(['readyz', 'metrics'].map(async path => (await fetch(`${mistaken.admin}/${path}`)).text()));
  for (const [where, text, want] of [
    ['readyz', ready, /^ready/], ['the metrics', metrics, /^palmares_billing_account_ok 0$/m],
    ['the log', mistaken.log(), /"level":"ERROR","msg":"nothing is sold, .*the key is not one of the account that the customers are of/],
    ['reconciliation', await mistaken.run('billing', 'reconcile').catch(error => error.stderr), /the key is one of another account/],
  ]) must(want.test(text), `${where} does not say ${want}:\n${text}`);
}

// Whoever deletes an account while its renewal is a draft is not charged an hour later.
async function deletedInTheDraftHour(self) {
  const { visitor, words, stripe, email } = self;
  await stripe.control('period-end', { email });
  await visitor.quietly(async () => {
    await visitor.page.context().clearCookies(); // in a new session, in which an account may be deleted for ten minutes
    await enter(self);
    await visitor.go(words.settings);
    await visitor.fill(words.sure, email);
  });
  await visitor.press(words.erase);
  await visitor.wants(words.erased);
  await next(self, words.mails.deleted);
  const newest = async () => {
    const { subscriptions, invoices } = await stripe.kept(email);
    return { subscription: subscriptions.at(-1).status, invoice: invoices.at(-1).status, advances: invoices.at(-1).auto_advance };
  };
  for (let tries = 0; tries < 300 && !(await stripe.kept(email)).deleted; tries++) {
    await new Promise(done => setTimeout(done, 100));
  }
  await stripe.control('charge', { email });
  const is = JSON.stringify(await newest());
  must(is === JSON.stringify({ subscription: 'canceled', invoice: 'draft', advances: false }), `after the hour: ${is}`);
  const { deleted, payment_methods: cards } = await stripe.kept(email);
  must(deleted && cards.length === 0, `at the provider: deleted ${deleted}, cards ${JSON.stringify(cards)}`);
  await silent(self);
}

export async function run(browser) {
  fs.mkdirSync(pictures, { recursive: true });
  for (const file of fs.readdirSync(pictures)) if (file.startsWith('aftermath-')) fs.rmSync(`${pictures}/${file}`);
  return inTurn(async () => {
    const service = await serveBilling(copy('examples/catalog'), { more: 0 });
    const visitors = [];
    for (const way of short ? [ways[1]] : ways) visitors.push(await travel(browser, service, way));
    await service.end();
    return report('aftermath', visitors, pictures);
  });
}
