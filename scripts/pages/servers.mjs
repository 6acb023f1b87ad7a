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

// visitGenerated serves a catalog that `palmares generate` makes and edit changes, for as long as a visit takes.
export async function visitGenerated({ tools, seed }, edit, visit) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'palmares-pages-'));
  const catalog = path.join(directory, 'catalog');
  const listen = await freeAddress();
  const started = [];
  try {
    await command(binary, ['generate', catalog, '--tools', String(tools), '--seed', String(seed)]);
    edit(catalog);
    const args = ['preview', catalog, '--listen', listen, '--no-quota', '--quiet'];
    return await visit((await launch(listen, args, process.env, '/', started)).base);
  } finally {
    for (const stop of started) await stop();
    fs.rmSync(directory, { recursive: true });
  }
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

// serveBilling is serveAccounts with a stand-in for Stripe, and with more nodes that answer the API on the same
// database. Its sql is for moving time, as docs/operations/billing.md does.
export async function serveBilling(directory, { more }) {
  const listen = await freeAddress(), base = `http://${listen}`;
  const stripe = await stripefake(`${base}/stripe/events`);
  const own = { ...stripe.env, PALMARES_LISTEN: listen, PALMARES_BASE_URL: base };
  const service = await serveAccounts(directory, own);
  const nodes = [service.base];
  for (let i = 0; i < more; i++) {
    const env = { ...service.env, PALMARES_LISTEN: await freeAddress(), PALMARES_ADMIN_LISTEN: await freeAddress() };
    nodes.push(await start(env.PALMARES_LISTEN, ['serve', '--roles', 'api'], env, '/api/v1/stats', service.started));
  }
  const sql = statement => command('psql', [service.env.PALMARES_DATABASE_URL, '-qc', statement]);
  return { ...service, nodes, stripe, sql };
}

// serveMistaken serves the pages of a service from another node, which has the key of another account at Stripe. It
// returns where the node is, for visitors and for operators, what its log says, and what runs commands with that key.
export async function serveMistaken({ env, started }) {
  const other = await stripefake(''), listen = await freeAddress(), admin = await freeAddress();
  const own = {
    ...env, ...other.env, PALMARES_LISTEN: listen, PALMARES_ADMIN_LISTEN: admin, PALMARES_BASE_URL: `http://${listen}`,
  };
  const { base, log } = await launch(listen, ['serve', '--roles', 'site'], own, '/', started);
  return { base, admin: `http://${admin}`, log, run: palmares(own) };
}

// stripefake starts scripts/stripefake, which sends its events to an address. Its control makes
// something happen to the subscription of a customer, and its kept has what it holds of an e-mail address, by
// kind, and whether the customer is deleted.
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
    const id = state.customers.findLast(customer => customer.email === email)?.id ??
      state.invoices.findLast(invoice => invoice.customer_email === email).customer; // of one that is deleted nothing else is known
    const own = kind => (state[kind] ?? []).filter(object => object.customer === id);
    const kinds = ['subscriptions', 'invoices', 'credit_notes', 'tax_ids', 'payment_methods'];
    const { deleted } = state.customers.find(customer => customer.id === id);
    return { deleted, ...Object.fromEntries(kinds.map(kind => [kind, own(kind)])) };
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

// mailbox starts scripts/mailbox. Its next waits for a mail to an address whose subject says something, and gives each
// once, the oldest first. Its rest are the subjects of those that nobody took.
async function mailbox() {
  const child = spawn(await built('mailbox'), ['-smtp', '127.0.0.1:0', '-listen', '127.0.0.1:0', '-with-parent'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise(done => child.once('close', done));
  atEnd.push(() => { child.kill(); return ended; });
  const said = await Promise.race([ended, new Promise(done => child.stdout.once('data', done))]);
  const found = String(said).match(/mail to (smtp:\/\/\S+) is shown on (http:\/\/\S+)/);
  if (!found) throw new Error(`build/mailbox does not start: ${said}`);
  const [, url, shown] = found;
  const last = {}, waiting = {};
  const look = async to => {
    const own = waiting[to] ??= [];
    const more = await (await fetch(`${shown}/mails?${new URLSearchParams({ to, after: last[to] ?? 0 })}`)).json();
    if (more.length > 0) last[to] = more.at(-1).number;
    own.push(...more);
    return own;
  };
  const next = async (to, subject = /./) => {
    for (let tries = 0; tries < 600; tries++) {
      const own = await look(to);
      const at = own.findIndex(mail => subject.test(mail.subject));
      if (at >= 0) return own.splice(at, 1)[0];
      await new Promise(done => setTimeout(done, 100));
    }
    throw new Error(`no mail to ${to} says ${subject}; there are: ${waiting[to].map(mail => mail.subject)}`);
  };
  const rest = async to => (await look(to)).map(mail => mail.subject);
  return { url, next, rest };
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

const start = async (...args) => (await launch(...args)).base;

// launch starts a node and waits until it answers. It returns where it is, and what its log says.
async function launch(listen, args, env = process.env, path = '/', started = []) {
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
    if (await fetch(base + path).then(answer => answer.ok, () => false)) return { base, log: () => said };
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`palmares ${args.join(' ')} does not answer:\n${said}`);
}
