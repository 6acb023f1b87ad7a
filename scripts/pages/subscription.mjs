// The way of an owner through a subscription: from the plan to the provider's page and back, on to
// what Pro gives, cancelled, taken back, cancelled again and over, bought once more, and cancelled while its payment
// fails; then with a VAT number that nobody knows, and paid for after the account was deleted. Against three
// nodes of `palmares serve` with PostgreSQL, Redis, a real SMTP server, and a stand-in for Stripe
// (scripts/stripefake): once wide, in French and with scripts, once narrow, in English and without; each on nodes of its own.
// With -short only the first.
import fs from 'node:fs';

import { buy, enter, fillIn, next, order, pay, signIn, ways } from './buyer.mjs';
import { short } from './checks.mjs';
import { receive } from './receiver.mjs';
import { copy, serveBilling } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { must, report, takeSteps, visit } from './visitor.mjs';

const pictures = 'build/subscription';

const steps = [
  withKeys, refused, subscribe, usePro, renewalFails, cancelAndUndo, theEnd, subscribeAgain, cancelFailing, vatNumber, paidTooLate,
];

async function travel(browser, way) {
  const service = { ...await serveBilling(copy('examples/catalog'), { more: 2 }), receiver: await receive() };
  const visitor = await visit(browser, { ...way, base: service.base, pictures });
  const self = { ...service, ...way, visitor, email: `bob.${way.name}@example.org`, secrets: {} };
  await takeSteps('subscription', self, steps);
  await service.receiver.end();
  await service.end();
  return visitor;
}

// An account with three keys, which is all that Developer allows.
async function withKeys(self) {
  const { run, email, secrets } = self;
  await signIn(self);
  for (const name of ['one', 'two', 'three']) secrets[name] = (await run('key', 'create', email, '--name', name)).trim();
}

// sent is what the form of an order would send, with both boxes.
function sent({ visitor }) {
  return visitor.page.evaluate(() => ({
    ...Object.fromEntries(new FormData(document.querySelector('form.order'))), activite: '1', conditions: '1', action: 'order',
  }));
}

// refuses sends a form beside the page, as another tab or a program does, and wants it refused with a text.
async function refuses({ visitor }, form, status, says) {
  const answer = await visitor.page.context().request.post(visitor.page.url(), { form });
  const text = (await answer.text()).replace(/[\u00a0\u202f]/g, ' ');
  must(answer.status() === status && says.test(text), `${answer.status()}, want ${status} and ${says}`);
}

// Each box that is left out is refused with its text, on the page and beside it.
async function refused(self) {
  const { visitor, words } = self;
  await fillIn(self);
  self.second = await sent(self); // a tab that stays open
  await fillIn(self);
  self.first = await sent(self);
  await visitor.press(words.order, 'main', 422);
  for (const says of Object.values(words.boxes)) await visitor.wants(says);
  await visitor.page.locator('#activite').check();
  await visitor.press(words.order, 'main', 422);
  must(!words.boxes.activite.test(await visitor.text()), 'the box that was ticked is missed');
  await visitor.wants(words.boxes.conditions);
  await lacking(self, self.first);
}

async function lacking(self, form) {
  for (const [box, says] of Object.entries(self.words.boxes)) {
    const { [box]: _, ...rest } = form;
    await refuses(self, rest, 422, says);
  }
}

async function subscribe(self) {
  const { visitor, words, secrets } = self;
  await visitor.page.locator('#activite').check();
  await visitor.page.locator('#conditions').check();
  self.first = await sent(self);
  await visitor.press(words.order);
  await visitor.wants(words.total);
  const paid = await (await visitor.find('a', words.go)).getAttribute('href');
  for (const form of [self.first, self.second]) await lacking(self, form); // sent again, and a second tab
  await refuses(self, self.first, 409, words.again);
  await refuses(self, self.second, 409, words.second);
  await visitor.go(words.plan);
  await visitor.press(words.resume);
  must(await (await visitor.find('a', words.go)).getAttribute('href') === paid, 'a second click opens a second payment');
  await pay(self);
  await answers(self, secrets.one, { status: 200, tier: 'pro' });
  const confirmation = await next(self, words.mails.welcome);
  must(/Werkstatt Bob/.test(confirmation.text), 'the mail does not confirm the order');
  const invoice = await next(self, words.mails.invoice);
  must(words.total.test(invoice.text.replace(/[\u00a0\u202f]/g, ' ')), `the mail says another sum: ${invoice.text}`);
  must(invoice.links.some(link => /^http.*\/invoice\/.*\/pdf$/.test(link)), `the mail does not lead to the invoice: ${invoice.links}`);
  await visitor.go(words.plan);
  await visitor.wants(words.invoices);
  await visitor.wants(words.card);
}

// fails has the next payment fail, and waits for the mail and the page to say so.
async function fails({ visitor, words, stripe, mail, email }) {
  await stripe.control('fail-payment', { email });
  const notice = await mail.next(email, words.mails.failed);
  must(notice.links.some(link => link.startsWith(`${stripe.url}/invoice/`)), `the mail has no direct link: ${notice.links}`);
  await visitor.go(words.plan);
  await visitor.wants(words.failed, { again: true });
  await visitor.look();
}

// A renewal fails, and is paid by the direct link, which the mail has too.
async function renewalFails(self) {
  const { visitor, words, stripe } = self;
  await fails(self);
  const direct = await (await visitor.find('a', words.mend)).getAttribute('href');
  must(direct.startsWith(`${stripe.url}/invoice/`), `the button leads to ${direct}`);
  await visitor.page.context().request.post(direct);
  await visitor.go(words.plan);
  await visitor.wants(words.active, { again: true });
  await next(self, words.mails.invoice);
}

// answers waits until every node answers a key so, and tells how long it took.
async function answers({ nodes, name }, key, want) {
  const began = Date.now();
  for (const node of nodes) {
    let last;
    for (let tries = 0; tries < 300; tries++) {
      const answer = await fetch(`${node}/api/v1/stats`, { headers: { Authorization: `Bearer ${key}` } });
      last = { status: answer.status, tier: answer.headers.get('X-RateLimit-Tier'), text: await answer.text() };
      if (last.status === want.status && (!want.tier || last.tier === want.tier)) break;
      await new Promise(done => setTimeout(done, 100));
    }
    must(last.status === want.status && (!want.tier || last.tier === want.tier) && (!want.text || want.text.test(last.text)),
      `${node} answers ${JSON.stringify(last)}, want ${JSON.stringify(want)}`);
  }
  const seconds = (Date.now() - began) / 1000;
  console.log(`   ${name}: ${want.tier ?? want.status} on ${nodes.length} nodes after ${seconds.toFixed(1)} s`);
}

// Pro gives a fourth key, and an endpoint.
async function usePro({ visitor, words, secrets, receiver, name }) {
  await visitor.go(words.keys);
  const field = visitor.page.locator('main form input#name');
  await field.fill('four');
  await visitor.press(words.create);
  [secrets.four] = (await visitor.text()).match(/plm_[0-9A-Za-z]{36,}/);
  await visitor.go(words.webhooks);
  await visitor.fill(words.url, `${receiver.url}/${name}`);
  await visitor.press(words.add);
  await visitor.press(words.verify);
  await visitor.wants(words.verified);
}

// Cancelled within three clicks from the foot of a page, taken back, and cancelled again with other keys to keep.
async function cancelAndUndo(self) {
  const { visitor, words } = self;
  await visitor.go(words.plan);
  await visitor.wants(words.active);
  await visitor.press(words.end, 'footer'); // three clicks, from the foot of any page
  await visitor.press(words.endHere);
  await visitor.press(words.confirm);
  await visitor.wants(words.cancelled);
  await next(self, words.mails.cancelled);
  await visitor.press(words.undo);
  await visitor.wants(words.active);
  await next(self, words.mails.resumed);
  await visitor.press(words.cancel);
  await visitor.tick('fieldset.keep', ['one', 'three', 'four']);
  await visitor.press(words.confirm);
  await visitor.wants(words.cancelled);
  await next(self, words.mails.cancelled);
}

// At the period's end the ticked keys work, the other sleeps and says why, and the endpoint is on hold.
async function theEnd(self) {
  const { visitor, words, stripe, email, secrets } = self;
  await stripe.control('period-end', { email });
  await answers(self, secrets.two, { status: 401, text: /dormant/ });
  for (const name of ['one', 'three', 'four']) await answers(self, secrets[name], { status: 200, tier: 'free' });
  await next(self, words.mails.ended);
  await visitor.go(words.keys);
  await visitor.wants(words.asleep);
  await visitor.go(words.webhooks);
  await visitor.wants(words.onHold);
  await visitor.go(words.plan);
}

async function subscribeAgain(self) {
  const { visitor, words, secrets } = self;
  await buy(self);
  for (const name of Object.keys(secrets)) await answers(self, secrets[name], { status: 200, tier: 'pro' });
  await visitor.go(words.webhooks);
  must(!words.onHold.test(await visitor.text()), 'the endpoint is still on hold');
}

// Cancelled while a payment fails it ends at once: nothing was paid for this period, and nothing is owed.
async function cancelFailing(self) {
  const { visitor, words, stripe, email, secrets } = self;
  await fails(self);
  await visitor.press(words.end, 'footer');
  await visitor.press(words.endHere);
  await visitor.wants(words.owesNothing);
  await visitor.press(words.confirm);
  await visitor.wants(words.owesNothing);
  must(words.owesNothing.test((await next(self, words.mails.ended)).text.replace(/\s+/g, ' ')), 'the mail does not say that nothing is owed');
  const { invoices, subscriptions } = await stripe.kept(email);
  must(invoices.at(-1).status === 'void' && subscriptions.at(-1).status === 'canceled', 'something is open at the provider');
  await answers(self, secrets.one, { status: 200, tier: 'free' });
}

// A VAT number takes the tax away by being there. One that the register does not know is told of, removed after
// 14 days, and the next invoice has the tax.
async function vatNumber(self) {
  const { visitor, words, stripe, email, sql } = self;
  await buy(self, 'DE111111111');
  await visitor.go(words.plan);
  await visitor.wants(words.checking);
  await stripe.control('refuse-vat', { email });
  await next(self, words.mails.unknown);
  await visitor.go(words.plan);
  await visitor.wants(words.unknown);
  await sql("UPDATE billing_customers SET vat_refused_at = now() - interval '14 days', look_at = now() WHERE vat_number <> ''");
  await next(self, words.mails.removed);
  await stripe.control('renew', { email });
  const { invoices, tax_ids: numbers } = await stripe.kept(email);
  must(numbers.length === 0, 'the number is still at the provider');
  const totals = invoices.slice(-2).map(invoice => invoice.total);
  must(String(totals) === '9900,11781', `the last two invoices are of ${totals}`);
  await visitor.go(words.plan);
  await visitor.wants(words.total, { again: true });
  must(!/DE111111111/.test(await visitor.text()), 'the page has a number that was removed');
}

// An account is deleted while a checkout is open, which the provider cannot be told: what is paid then goes back, once.
async function paidTooLate(self) {
  const { visitor, words, stripe, email, run } = self;
  await stripe.control('end', { email });
  await next(self, words.mails.ended);
  await visitor.page.context().clearCookies(); // in a new session, in which an account may be deleted for ten minutes
  await enter(self);
  await order(self);
  const checkout = await (await visitor.find('a', words.go)).getAttribute('href');
  await stripe.control('away', { on: true });
  await visitor.go(words.settings);
  await visitor.fill(words.sure, email);
  await visitor.press(words.erase);
  await visitor.wants(words.erased);
  await next(self, words.mails.deleted);
  const paid = await visitor.page.context().request.post(checkout, { maxRedirects: 0 });
  await stripe.control('away', { on: false });
  const refund = await next(self, words.mails.refunded);
  must(words.total.test(refund.text.replace(/[\u00a0\u202f]/g, ' ')), `the mail says another sum: ${refund.text}`);
  await visitor.go(new URL(paid.headers().location).pathname); // where the provider sends who has paid
  await run('billing', 'reconcile');
  const { credit_notes: notes, subscriptions } = await stripe.kept(email);
  must(subscriptions.at(-1).status === 'canceled', 'the subscription goes on');
  must(notes.length === 1 && notes[0].refunds[0].amount_refunded === 11781, `refunded: ${JSON.stringify(notes)}`);
  const { deleted, payment_methods: cards } = await stripe.kept(email);
  must(deleted && cards.length === 0, `at the provider: deleted ${deleted}, cards ${JSON.stringify(cards)}`);
}

export async function run(browser) {
  fs.rmSync(pictures, { recursive: true, force: true });
  fs.mkdirSync(pictures, { recursive: true });
  const visitors = await Promise.all((short ? [ways[0]] : ways).map(way => inTurn(() => travel(browser, way))));
  return report('subscription', visitors, pictures);
}
