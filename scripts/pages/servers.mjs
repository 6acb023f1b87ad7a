// The servers that pages are asked of: `palmares preview` on a directory, and `palmares serve` on a
// database of its own. They end with this program.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const binary = 'build/palmares';
const postgres = process.env.PAGES_SERVER ?? 'postgres://postgres@127.0.0.1:5432';
const atEnd = [];

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
  const name = `palmares_pages_${process.pid}`;
  const psql = statement => execFileSync('psql', [`${postgres}/postgres`, '-qc', statement]);
  psql(`CREATE DATABASE ${name}`);
  atEnd.push(() => psql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const listen = await freeAddress();
  const env = {
    ...process.env,
    PALMARES_DATABASE_URL: `${postgres}/${name}?sslmode=disable`,
    PALMARES_SECRET: 'for-pages-only-for-pages-only-for-pages',
    PALMARES_LISTEN: listen,
    PALMARES_ADMIN_LISTEN: await freeAddress(),
    PALMARES_BASE_URL: `http://${listen}`,
    PALMARES_DRAIN_DELAY: '0s',
    PALMARES_LOG_LEVEL: 'warn',
  };
  const run = (...args) => execFileSync(binary, args, { env, stdio: 'pipe' });
  run('migrate');
  const publish = (...at) => run('publish', directory, ...at);
  const days = history ? fs.readdirSync(path.join(directory, 'history')) : [];
  for (const day of days.filter(day => !day.includes('ago')).sort()) publish('--at', day);
  for (const day of days.filter(day => day.includes('ago'))
    .sort((a, b) => parseInt(b) - parseInt(a))) publish('--at', day);
  publish();
  return start(listen, ['serve', '--roles', 'api,site'], env);
}

// copyNamed is a copy of a catalog under another name.
export function copyNamed(directory, name) {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'palmares-pages-'));
  atEnd.push(() => fs.rmSync(copy, { recursive: true }));
  fs.cpSync(directory, copy, { recursive: true });
  const file = path.join(copy, 'catalog.yaml');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace(/^name: .*$/m, `name: ${name}`));
  return copy;
}

async function freeAddress() {
  const server = net.createServer();
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return `127.0.0.1:${port}`;
}

async function start(listen, args, env = process.env) {
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', text => { said += text; });
  child.stderr.on('data', text => { said += text; });
  const ended = new Promise(done => child.once('close', done));
  atEnd.push(() => { child.kill(); return ended; });
  const base = `http://${listen}`;
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    if (await fetch(base).then(answer => answer.ok, () => false)) return base;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`palmares ${args.join(' ')} does not answer:\n${said}`);
}
