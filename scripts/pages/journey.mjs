// A newcomer's way through the account pages, from the front page to the end of the account, against
// `palmares serve` with PostgreSQL, Redis, and a real SMTP server: once wide and with scripts, once
// narrow and without, each on a server of its own. visitor.mjs says what must hold on every page; build/journey has their
// pictures. The time from the front page to the first call with a key is counted and printed.
import fs from 'node:fs';

import { receive } from './receiver.mjs';
import { copy, reprice, serveAccounts } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { must, report, takeSteps, visit } from './visitor.mjs';

const pictures = 'build/journey', most = 60; // seconds to the first call
const keyPattern = /plm_[0-9A-Za-z]{36,}/;

const ways = [
  { name: 'wide', width: 1280, height: 900, theme: 'light', script: true },
  { name: 'narrow', width: 390, height: 844, theme: 'dark', script: false },
];

const steps = [signUp, firstCall, counted, shownOnce, usage, rotation, webhooks, language, exported, deletion];

// A traveller is a visitor with an address, and what it has at hand.
async function travel(browser, way) {
  const directory = copy('examples/catalog');
  const service = { ...await serveAccounts(directory), directory, receiver: await receive() };
  const visitor = await visit(browser, { ...way, base: service.base, pictures });
  const self = { ...service, way, name: way.name, visitor, email: `ada.${way.name}@example.org`, began: Date.now() };
  await takeSteps('journey', self, steps);
  await service.receiver.end();
  await service.end();
  return visitor;
}

// Signing up: with the link where scripts run, with the code where they do not.
async function signUp({ visitor, mail, email, way }) {
  await visitor.go('/');
  await visitor.press(/^Obtenir une clé$/, 'header');
  await visitor.fill(/adresse e-mail/, email);
  await visitor.press(/Recevoir le lien/);
  const letter = await visitor.takeMail(mail, email);
  const link = letter.links.find(link => link.includes('/compte/'));
  const code = letter.text.replace(/https?:\/\/\S+/g, '').match(/(?<!\d)\d{3}\s?\d{3}(?!\d)/)?.[0];
  must(link && code, `the mail has no link or no code:\n${letter.text}`);
  if (way.script) await visitor.go(link.slice(visitor.base.length));
  else await visitor.fill(/Code/, code);
  await visitor.press(/^Se connecter$/);
  must(visitor.at() === '/compte/cles', `signed in, and at ${visitor.at()}`);
}

async function firstCall(self) {
  const { visitor, way } = self;
  await visitor.press(/Créer ma clé/);
  self.key = await shownKey(visitor);
  if (way.script) {
    await (await visitor.find('button', /Copier la clé/)).click();
    const copied = await visitor.page.evaluate(() => navigator.clipboard.readText());
    must(copied === self.key, 'the key is not in the clipboard');
    await (await visitor.find('button', /Faire l’appel/)).click();
  } else {
    await visitor.press(/Faire l’appel/);
  }
  await visitor.wants(/\b200\b[^]*X-RateLimit-Remaining: 999/i);
  if (way.script) {
    visitor.seconds += 1; // to read the answer
    await visitor.look();
  }
}

// The time from the front page to the first call is that of a person.
async function counted({ visitor, name, began }) {
  const human = visitor.seconds, all = (Date.now() - began) / 1000;
  console.log(`   journey, ${name}: landing to first answered call with a key: ` +
    `${human.toFixed(1)} s of a person's time (the machine took ${all.toFixed(1)} s with its checks)`);
  if (human >= most) visitor.faults.push(`the first call takes ${human} s, ${most} at most`);
}

// The key is shown once, and a reload makes no second.
async function shownOnce({ visitor, way, base, run, email, key }) {
  if (way.script) { // without it, the page answers the call
    await visitor.reload(409);
    await visitor.press(/Voir mes clés/);
  } else {
    await visitor.press(/Oui, je l’ai copiée/);
  }
  must(!keyPattern.test(await visitor.page.content()), 'the key is shown twice');
  must(JSON.parse(await run('account', 'show', email, '--json')).keys === 1, 'a second key was made');
  must(await status(base, key) === 200, 'the key does not work');
}

async function shownKey(visitor) {
  const [key] = (await visitor.text()).match(keyPattern) ?? [];
  must(key, `${visitor.at()} shows no key:\n${await visitor.text()}`);
  return key;
}

// status is that of a call with a key.
async function status(base, key) {
  const answer = await fetch(`${base}/api/v1/stats`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.text();
  return answer.status;
}

// becomes waits until a key is answered with a status: nodes learn of changes within 5 s.
async function becomes(base, key, wanted) {
  for (let tries = 0; tries < 100; tries++) {
    if (await status(base, key) === wanted) return;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`the key is not answered with ${wanted}`);
}

// Usage moves with calls.
async function usage({ visitor, base, key }) {
  await visitor.press(/^Consommation$/, 'nav.side');
  const used = async () => Number((await visitor.text()).match(/(\d+)\s*\/\s*1 000/)?.[1] ?? NaN);
  const before = await used();
  must(before >= 2, `the page says ${before} requests, there were 2:\n${await visitor.text()}`);
  for (let i = 0; i < 5; i++) must(await status(base, key) === 200, 'a call fails');
  await visitor.reload();
  must(await used() === before + 5, `the page says ${await used()} requests, want ${before + 5}`);
}

// The old key works through its grace, beside the new one, and not without a grace.
async function rotation(self) {
  const { visitor, base } = self;
  const rotate = async grace => {
    await visitor.press(/^Clés$/, 'nav.side');
    await visitor.choose(/ancienne/, grace);
    await visitor.press(/Afficher la nouvelle clé/);
    const key = await shownKey(visitor);
    await becomes(base, key, 200);
    return key;
  };
  const second = await rotate(/dans 1\sheure/);
  must(await status(base, self.key) === 200, 'the old key does not work in its grace');
  const third = await rotate(/tout de suite/);
  await becomes(base, second, 401);
  must(await status(base, self.key) === 200, 'the grace of another key has ended too');
  self.key = third;
}

// An endpoint on a receiver of this machine: verified, told of a new price, told again, paused.
async function webhooks({ visitor, run, email, directory, receiver, way }) {
  await visitor.press(/^Webhooks$/, 'nav.side');
  must(await visitor.page.locator('main form').count() === 0, 'a Developer can add an endpoint');
  await visitor.wants(/price\.changed/);
  await run('account', 'plan', email, 'pro');
  await visitor.reload();
  await visitor.fill(/URL|Adresse/, `${receiver.url}/${way.name}`);
  await visitor.press(/^Ajouter$/);
  await visitor.wants(/whsec_/);
  const own = () => receiver.got.filter(event =>
    event.path.endsWith(way.name) && event.type === 'price.changed');

  await visitor.press(/Vérifier|Envoyer la vérification/);
  await visitor.wants(/Le webhook est vérifié/);
  const slug = reprice(directory);
  await run('publish', directory);
  await eventually(() => own().length === 1, 'the new price is not delivered');
  must(own()[0].data.object.slug === slug, 'another event came');
  must(own()[0].signed, 'the delivery is not signed');
  await visitor.wants(/price\.changed[^]*\b200\b/, { again: true });

  await visitor.press(/^price\.changed$/);
  await visitor.wants(/webhook-id[^]*webhook-signature/);
  await visitor.press(/^Rejouer$/);
  await eventually(() => own().length === 2, 'the delivery does not come again');
  must(own()[0].id === own()[1].id, 'a replay has another webhook-id');

  await visitor.press(/^Webhooks$/, 'nav.side');
  await visitor.press(new RegExp(receiver.url.replace(/^http:\/\//, '')));
  await visitor.press(/Mettre en pause/);
  await visitor.wants(/Le webhook est en pause/);
  must(own().length === 2, 'a paused endpoint is delivered to');
}

async function eventually(holds, otherwise) {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(otherwise);
}

async function language({ visitor }) {
  await visitor.press(/^Compte$/, 'nav.side');
  await visitor.choose(/Langue/, /English|anglais/i);
  await visitor.press(/Enregistrer/);
  must(visitor.at() === '/en/account/settings', `after English was chosen: ${visitor.at()}`);
  must(await visitor.page.locator('html').getAttribute('lang') === 'en', 'the page is not in English');
}

async function exported({ visitor, email, key }) {
  const file = await visitor.save(/Export my data/);
  const all = JSON.parse(file.text);
  for (const what of [email, 'price.changed', 'pro']) {
    must(file.text.includes(what), `${file.name} does not hold ${what}: ${Object.keys(all)}`);
  }
  must(!file.text.includes(key) && !file.text.includes('whsec_'), 'a secret is in the export');
}

// After the deletion nothing works any more, and the last mail says so.
async function deletion({ visitor, base, mail, email, key }) {
  await visitor.fill(/To confirm/, email);
  await visitor.press(/Delete my account/);
  await visitor.wants(/Your account is deleted/);
  await becomes(base, key, 401);
  await mail.next(email, /deleted/i);
  await visitor.go('/compte/cles');
  must(visitor.at() === '/compte/connexion', `without an account: ${visitor.at()}`);
}

export async function run(browser) {
  fs.rmSync(pictures, { recursive: true, force: true });
  fs.mkdirSync(pictures, { recursive: true });
  const visitors = await Promise.all(ways.map(way => inTurn(() => travel(browser, way))));
  return report('journey', visitors, pictures);
}
