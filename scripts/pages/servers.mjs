// The servers that pages are asked of: `palmares preview` on a directory, and `palmares serve` on a
// database of its own, with a mailbox where there are accounts. They end with this program.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const binary = 'build/palmares';
const postgres = process.env.PAGES_SERVER ?? 'postgres://postgres@127.0.0.1:5432';
const atEnd = [];

// command runs a program and returns what it prints. Walks beside the one that waits for it go on.
const command = async (...args) => (await promisify(execFile)(...args)).stdout;

// end stops the servers and removes what they stood on.
export async function end() {
  while (atEnd.length > 0) await atEnd.pop()();
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => { await end(); process.exit(1); });
}

// preview serves a directory of content files.
export async function preview(directory) {
  const listen = await freeAddress();
  return start(listen, ['preview', directory, '--listen', listen, '--no-quota', '--quiet']);
}

// serve publishes a directory into a new database and serves that: as its first edition, or after
// its history, in the order of scripts/dev.
export async function serve(directory, { history }) {
  const env = await environment();
  const run = palmares(env);
  await run('migrate');
  await publish(run, directory, history);
  return start(env.PALMARES_LISTEN, ['serve', '--roles', 'api,site'], env);
}

// serveAccounts serves a directory in all roles, with Redis, and with a mailbox that takes what it
// mails. Webhooks may reach this machine. It returns where the node is, what runs commands of
// palmares on its database, the mailbox, and what ends its nodes before this program does.
export async function serveAccounts(directory, more = {}) {
  const mail = await mailbox();
  const env = {
    ...await environment(), ...more,
    PALMARES_REDIS_URL: process.env.PAGES_REDIS ?? 'redis://127.0.0.1:6379',
    PALMARES_SMTP_URL: mail.url,
    PALMARES_MAIL_FROM: 'Palmarès <noreply@example.org>',
    PALMARES_WEBHOOK_NETWORKS: '127.0.0.0/8',
  };
  const run = palmares(env), nodes = [];
  await run('migrate');
  await publish(run, directory, false);
  const base = await start(env.PALMARES_LISTEN, ['serve'], env, '/', nodes);
  // What has ended has no connections: a server of PostgreSQL has a hundred for all.
  return { base, run, mail, env, started: nodes, end: () => Promise.all(nodes.map(stop => stop())) };
}

// serveBilling is serveAccounts with a stand-in for Stripe, and with two more nodes that answer the
// API on the same database. Its sql is for moving time, as docs/operations/billing.md does.
export async function serveBilling(directory) {
  const listen = await freeAddress(), base = `http://${listen}`;
  const stripe = await stripefake(`${base}/stripe/events`);
  const own = { ...stripe.env, PALMARES_LISTEN: listen, PALMARES_BASE_URL: base };
  const service = await serveAccounts(directory, own);
  const nodes = [service.base];
  for (let i = 0; i < 2; i++) {
    const env = { ...service.env, PALMARES_LISTEN: await freeAddress(), PALMARES_ADMIN_LISTEN: await freeAddress() };
    nodes.push(await start(env.PALMARES_LISTEN, ['serve', '--roles', 'api'], env, '/api/v1/stats', service.started));
  }
  const sql = statement => command('psql', [service.env.PALMARES_DATABASE_URL, '-qc', statement]);
  return { ...service, nodes, stripe, sql };
}

// stripefake starts scripts/stripefake, which sends its events to an address. Its control makes
// something happen to the subscription of an e-mail address, and its kept has what it holds of one, by kind.
async function stripefake(events) {
  const child = spawn(await built('stripefake'), ['-listen', '127.0.0.1:0', '-events', events, '-with-parent'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise(done => child.once('close', done));
  atEnd.push(() => { child.kill(); return ended; });
  const said = String(await Promise.race([ended, new Promise(done => child.stdout.once('data', done))]));
  const env = Object.fromEntries([...said.matchAll(/^(PALMARES_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  const url = env.PALMARES_STRIPE_URL;
  if (!url) throw new Error(`build/stripefake does not start: ${said}`);
  const control = async (verb, query) => {
    const answer = await fetch(`${url}/_control/${verb}?${new URLSearchParams(query)}`, { method: 'POST' });
    if (!answer.ok) throw new Error(`stripefake, ${verb}: ${await answer.text()}`);
  };
  const kept = async email => {
    const state = await (await fetch(`${url}/_control/state`)).json();
    const { id } = state.customers.findLast(customer => customer.email === email);
    const own = kind => (state[kind] ?? []).filter(object => object.customer === id);
    return Object.fromEntries(['subscriptions', 'invoices', 'credit_notes', 'tax_ids'].map(kind => [kind, own(kind)]));
  };
  return { env, url, control, kept };
}

// built builds a program of scripts, once, and returns where it is.
const builds = {};
function built(name) {
  const binary = `build/${name}`;
  return builds[name] ??= command('go', ['build', '-o', binary, `./scripts/${name}`]).then(() => binary);
}

// environment is that of a node on a new database.
let databases = 0;
async function environment() {
  const name = `palmares_pages_${process.pid}_${++databases}`;
  const psql = statement => command('psql', [`${postgres}/postgres`, '-qc', statement]);
  atEnd.push(() => psql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  await psql(`CREATE DATABASE ${name}`);
  const listen = await freeAddress();
  return {
    ...process.env,
    PALMARES_DATABASE_URL: `${postgres}/${name}?sslmode=disable`,
    PALMARES_SECRET: randomBytes(32).toString('hex'), // limits in Redis are this run's own
    PALMARES_LISTEN: listen,
    PALMARES_ADMIN_LISTEN: await freeAddress(),
    PALMARES_BASE_URL: `http://${listen}`,
    PALMARES_DRAIN_DELAY: '0s',
    PALMARES_LOG_LEVEL: 'warn',
  };
}

// palmares returns what runs a command and returns what it prints.
const palmares = env => (...args) => command(binary, args, { env, maxBuffer: 1 << 26 });

async function publish(run, directory, history) {
  const days = history ? fs.readdirSync(path.join(directory, 'history')) : [];
  const dated = days.filter(day => !day.includes('ago')).sort();
  const ago = days.filter(day => day.includes('ago')).sort((a, b) => parseInt(b) - parseInt(a));
  for (const day of [...dated, ...ago]) await run('publish', directory, '--at', day);
  await run('publish', directory);
}

// mailbox starts scripts/mailbox. Its next waits for the mail to an address after the one that it
// gave last.
async function mailbox() {
  const child = spawn(await built('mailbox'), ['-smtp', '127.0.0.1:0', '-listen', '127.0.0.1:0', '-with-parent'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise(done => child.once('close', done));
  atEnd.push(() => { child.kill(); return ended; });
  const said = await Promise.race([ended, new Promise(done => child.stdout.once('data', done))]);
  const found = String(said).match(/mail to (smtp:\/\/\S+) is shown on (http:\/\/\S+)/);
  if (!found) throw new Error(`build/mailbox does not start: ${said}`);
  const [, url, shown] = found;
  const last = {};
  const next = async to => {
    for (let tries = 0; tries < 600; tries++) {
      const answer = await fetch(`${shown}/latest?to=${encodeURIComponent(to)}`);
      const mail = answer.ok && await answer.json();
      if (mail && mail.number !== last[to]) {
        last[to] = mail.number;
        return mail;
      }
      await new Promise(done => setTimeout(done, 100));
    }
    throw new Error(`no mail to ${to}`);
  };
  return { url, next };
}

// copy is a copy of a catalog, to be changed.
export function copy(directory) {
  const to = fs.mkdtempSync(path.join(os.tmpdir(), 'palmares-pages-'));
  atEnd.push(() => fs.rmSync(to, { recursive: true }));
  fs.cpSync(directory, to, { recursive: true });
  return to;
}

// reprice changes the price of a tool in the files of a catalog, and returns its slug.
export function reprice(directory) {
  const file = path.join(directory, 'tools', 'archivette.md');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace(/price: "(\d+)/, (_, euros) => `price: "${Number(euros) + 1}`));
  return 'archivette';
}

// copyNamed is a copy of a catalog under another name, which pages write because it has no logo.
export function copyNamed(directory, name) {
  const to = copy(directory);
  fs.rmSync(path.join(to, 'pages', 'logo.svg'));
  const file = path.join(to, 'catalog.yaml');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace(/^name: .*$/m, `name: ${name}`));
  return to;
}

// copyOperated is a copy of a catalog that another operator runs: another name, logo, colours and letters.
export function copyOperated(directory, name) {
  const to = copyNamed(directory, name);
  fs.cpSync('scripts/pages/operator', path.join(to, 'pages'), { recursive: true });
  return to;
}

// freeAddress is one that nobody else is given: from below the ports that systems choose by themselves
// (Linux: 32768 and above) and beside those of the Go tests, and once a run.
const given = new Set();
export async function freeAddress() {
  for (let tries = 0; tries < 10_000; tries++) {
    const port = 19_000 + Math.floor(Math.random() * 2_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = net.createServer();
    const free = await new Promise(done =>
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)));
    if (!free) continue;
    await new Promise(done => server.close(done));
    return `127.0.0.1:${port}`;
  }
  throw new Error('no port between 19000 and 20999 is free');
}

async function start(listen, args, env = process.env, path = '/', started = []) {
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', text => { said += text; });
  child.stderr.on('data', text => { said += text; });
  const ended = new Promise(done => child.once('close', done));
  const stop = () => { child.kill(); return ended; };
  atEnd.push(stop);
  started.push(stop);
  const base = `http://${listen}`;
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    if (await fetch(base + path).then(answer => answer.ok, () => false)) return base;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`palmares ${args.join(' ')} does not answer:\n${said}`);
}
