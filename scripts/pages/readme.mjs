// What README.md has a newcomer type, followed to a key in a browser: the commands under "The same,
// step by step", on a database and ports of this run, then the front page, the mail, the key and the
// first call with it. Nothing is set but what README.md sets.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';

import { pictured } from './checks.mjs';
import { freeAddress } from './servers.mjs';
import { inTurn } from './turns.mjs';
import { must, visit } from './visitor.mjs';

const pictures = 'build/readme', email = 'newcomer@example.org';
const server = 'postgres://postgres@127.0.0.1:5432/postgres'; // that of the README
const name = `palmares_dev_${process.pid}`;

// steps are the commands, with the names and ports of this run.
async function steps() {
  const [, commands] = fs.readFileSync('README.md', 'utf8').match(/The same, step by step:\n\n```sh\n([^]*?)```/);
  const ports = {};
  for (const port of ['8080', '1025', '8025']) {
    must(commands.includes(`127.0.0.1:${port}`), `README.md does not name the port ${port}`);
    ports[port] = await freeAddress();
  }
  const script = Object.entries(ports).reduce((text, [port, free]) => text.replaceAll(`127.0.0.1:${port}`, free),
    commands.replaceAll('palmares_dev', name));
  return { script, base: `http://${ports[8080]}`, mails: `http://${ports[8025]}` };
}

// follow runs the commands, which end with the node, and waits until the node answers.
async function follow({ script, base }) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PALMARES_')));
  env.PALMARES_ADMIN_LISTEN = await freeAddress(); // others test on this machine, too
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => { said += text; });
  const ended = new Promise(done => child.once('close', done));
  const stop = () => { try { process.kill(-child.pid); } catch { /* it has ended */ } return ended; };
  while (!await fetch(`${base}/api/v1/stats`).then(answer => answer.ok, () => false)) {
    if (child.exitCode !== null) throw new Error(`the commands of README.md fail:\n${said}`);
    await new Promise(done => setTimeout(done, 200));
  }
  return stop;
}

// arrived waits for the mail, as the page of the mail catcher has it.
async function arrived(mails) {
  for (let tries = 0; tries < 300; tries++) {
    const [mail] = await (await fetch(`${mails}/mails?to=${encodeURIComponent(email)}`)).json();
    if (mail) return mail;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`no mail to ${email}`);
}

async function toTheKey(visitor, mails) {
  await visitor.go('/');
  await visitor.press(/^Obtenir une clé$/, 'header');
  await visitor.fill(/adresse e-mail/, email);
  await visitor.press(/Recevoir le lien/);
  const { text } = await arrived(mails);
  await visitor.fill(/Code/, text.replace(/https?:\/\/\S+/g, '').match(/(?<!\d)\d{3}\s?\d{3}(?!\d)/)[0]);
  await visitor.press(/^Se connecter$/);
  await visitor.press(/Créer ma clé/);
  must(/plm_[0-9A-Za-z]{36}/.test(await visitor.text()), 'no key is shown');
  await (await visitor.find('button', /Faire l’appel/)).click();
  await visitor.wants(/\b200\b[^]*X-RateLimit-Remaining: 999/i);
}

export function run(browser) { return inTurn(() => walk(browser)); }

async function walk(browser) {
  fs.rmSync(pictures, { recursive: true, force: true });
  fs.mkdirSync(pictures, { recursive: true });
  const written = await steps();
  let stop = async () => {};
  try {
    stop = await follow(written);
    const visitor = await visit(browser, {
      name: 'readme', width: 1280, height: 900, theme: 'light', script: true, base: written.base, pictures,
    });
    await toTheKey(visitor, written.mails);
    for (const fault of visitor.faults) console.error(fault);
    console.log(`README.md leads to a key: ${visitor.seen} pages seen, ${visitor.alike} of them like others, ${visitor.faults.length} faults; ${pictured(pictures)}`);
    return visitor.faults.length;
  } finally {
    await stop();
    execFileSync('psql', [server, '-qc', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]);
  }
}
