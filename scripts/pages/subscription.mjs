// The way of an owner through a subscription: from the plan to the provider's page and back, on to
// what Pro gives, cancelled, taken back, cancelled again and over, and bought once more. Against three
// nodes of `palmares serve` with PostgreSQL, Redis, a real SMTP server, and a stand-in for Stripe
// (scripts/stripefake): once wide, in French and with scripts, once narrow, in English and without.
import fs from 'node:fs';

import { receive } from './receiver.mjs';
import { copy, serveBilling } from './servers.mjs';
import { must, visit } from './visitor.mjs';

const pictures = 'build/subscription';

const french = {
  plan: '/compte/offre', keys: '/compte/cles', webhooks: '/compte/webhooks', signIn: /^Se connecter$/,
  country: /Votre pays/, germany: /Allemagne/, estimate: /Voir le prix avec la TVA/, total: /117,81 €/,
  buy: /^Passer à Pro$/, go: /Continuer vers le paiement/, done: /votre compte a l’offre Pro/,
  name: /^Nom$/, create: /^Créer une clé$/, url: /URL|Adresse/, add: /^Ajouter$/,
  verify: /Vérifier|Envoyer la vérification/, verified: /Le webhook est vérifié/,
  active: /Actif/, cancel: /^Résilier$/, confirm: /Confirmer la résiliation/, cancelled: /Résilié/,
  undo: /Annuler la résiliation/, asleep: /en sommeil/, onHold: /Suspendu/,
  mails: { welcome: /Pro/, cancelled: /résili/i, ended: /Développeur|terminé/i },
};
const english = {
  plan: '/en/account/plan', keys: '/en/account/keys', webhooks: '/en/account/webhooks', signIn: /^Sign in$/,
  country: /Your country/, germany: /Germany/, estimate: /See the price with VAT/, total: /€117\.81/,
  buy: /^Upgrade to Pro$/, go: /Continue to payment/, done: /your account is on the Pro plan/,
  name: /^Name$/, create: /^Create a key$/, url: /URL|Address/, add: /^Add it$/,
  verify: /Verify|Send the verification/, verified: /The endpoint is verified/,
  active: /Active/, cancel: /^Cancel$/, confirm: /Confirm the cancellation/, cancelled: /Cancelled/,
  undo: /Undo the cancellation/, asleep: /dormant/, onHold: /Suspended/,
  mails: { welcome: /Pro/, cancelled: /cancel/i, ended: /Developer|ended/i },
};

const ways = [
  { name: 'wide', width: 1280, height: 900, theme: 'light', script: true, language: 'fr', words: french },
  { name: 'narrow', width: 390, height: 844, theme: 'dark', script: false, language: 'en', words: english },
];

const steps = [signIn, subscribe, usePro, cancelAndUndo, theEnd, subscribeAgain];

async function travel(browser, service, way) {
  const visitor = await visit(browser, { ...way, base: service.base, pictures });
  const self = { ...service, ...way, visitor, email: `bob.${way.name}@example.org`, secrets: {} };
  const began = Date.now();
  try {
    for (const step of steps) {
      await step(self);
      console.log(`   subscription, ${way.name}: ${step.name}, ${Math.round((Date.now() - began) / 1000)} s`);
    }
  } catch (error) {
    await visitor.look().catch(() => {});
    visitor.faults.push(error.stack);
  }
  for (const fault of visitor.faults) console.error(`subscription, ${way.name}: ${fault}`);
  await visitor.page.context().close();
  return visitor;
}

// An account with three keys, which is all that Developer allows.
async function signIn({ visitor, run, email, secrets, language, words }) {
  run('account', 'create', email);
  for (const name of ['one', 'two', 'three']) secrets[name] = run('key', 'create', email, '--name', name).trim();
  const link = new URL(run('account', 'login-link', email).trim());
  await visitor.go((language === 'en' ? '/en/account/sign-in/link' : '/compte/connexion/lien') + link.search);
  await visitor.press(words.signIn);
  if (language === 'fr') return;
  await visitor.go('/compte/reglages'); // the account is in French until its owner says otherwise
  await visitor.choose(/Langue/, /English|anglais/i);
  await visitor.press(/Enregistrer/);
}

async function subscribe(self) {
  const { visitor, words, mail, email, secrets } = self;
  await visitor.go(words.plan);
  await visitor.choose(words.country, words.germany);
  await visitor.press(words.estimate);
  await visitor.wants(words.total);
  await buy(self);
  await answers(self, secrets.one, { status: 200, tier: 'pro' });
  must(words.mails.welcome.test((await mail.next(email)).subject), 'no mail welcomes to Pro');
}

// buy pays at the provider, comes back and waits to be told; a second tab leads to the same page.
async function buy({ visitor, words, stripe }) {
  const address = async () => {
    await visitor.go(words.plan);
    await visitor.press(words.buy);
    return (await visitor.find('a', words.go)).getAttribute('href');
  };
  const first = await address();
  must(await address() === first, 'a second click opens a second payment');
  await visitor.leave(words.go, stripe.url, page => page.locator('#pay').click());
  await visitor.wants(words.done, { again: !visitor.scripted });
  await visitor.look();
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

// Cancelled within three clicks, taken back, and cancelled again with other keys to keep.
async function cancelAndUndo({ visitor, words, mail, email }) {
  await visitor.go(words.plan);
  await visitor.wants(words.active);
  await visitor.press(words.cancel);
  await visitor.press(words.confirm);
  await visitor.wants(words.cancelled);
  must(words.mails.cancelled.test((await mail.next(email)).subject), 'no mail confirms the cancellation');
  await visitor.press(words.undo);
  await visitor.wants(words.active);
  await visitor.press(words.cancel);
  await visitor.tick('fieldset.keep', ['one', 'three', 'four']);
  await visitor.press(words.confirm);
  await visitor.wants(words.cancelled);
  await mail.next(email);
}

// At the period's end the ticked keys work, the other sleeps and says why, and the endpoint is on hold.
async function theEnd(self) {
  const { visitor, words, stripe, mail, email, secrets } = self;
  await stripe.control('period-end', { email });
  await answers(self, secrets.two, { status: 401, text: /dormant/ });
  for (const name of ['one', 'three', 'four']) await answers(self, secrets[name], { status: 200, tier: 'free' });
  must(words.mails.ended.test((await mail.next(email)).subject), 'no mail says that Pro has ended');
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

export async function run(browser) {
  fs.rmSync(pictures, { recursive: true, force: true });
  fs.mkdirSync(pictures, { recursive: true });
  const service = await serveBilling(copy('examples/catalog'));
  const receiver = await receive();
  let seen = 0, faults = 0;
  for (const way of ways) {
    const visitor = await travel(browser, { ...service, receiver }, way);
    faults += visitor.faults.length;
    seen += visitor.seen;
  }
  await receiver.end();
  console.log(`${seen} pages seen, ${faults} faults; pictures are in ${pictures}`);
  return faults;
}
