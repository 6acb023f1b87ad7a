// Accounts to look at: a Developer with keys and a month of usage, a Pro with webhooks, and one
// without anything. What they have is made by the commands of palmares, as an operator would.
import net from 'node:net';

import { receive } from './receiver.mjs';
import { copy, reprice, serveAccounts } from './servers.mjs';

// prepareAccounts serves the accounts. It returns where, who is signed in with which cookies, and
// what there is to see for each in a language.
export async function prepareAccounts(browser, directory) {
  const files = copy(directory);
  const service = await serveAccounts(files);
  const receiver = await receive();
  const accounts = {};
  for (const [name, plan] of [['developer', 'developer'], ['pro', 'pro'], ['new', 'developer']]) {
    const email = `${name}@example.org`;
    await service.run('account', 'create', email, '--plan', plan);
    if (name !== 'new') {
      for (const key of ['Production', 'Portable d’Ada']) await service.run('key', 'create', email, '--name', key);
    }
    accounts[name] = { email, ...JSON.parse(await service.run('account', 'show', email, '--json')) };
  }
  await Promise.all([useForAMonth(accounts.developer, 1000), useForAMonth(accounts.pro, 0)]);
  const hooks = await deliver(service, accounts.pro, files, receiver);
  for (const account of Object.values(accounts)) account.cookies = await signIn(browser, service, account);
  await receiver.end();
  return { base: service.base, accounts, views: language => views(language, hooks) };
}

// views are what each account sees, and what is there without one.
function views(language, { endpoint, unverified, delivery }) {
  const [at, words] = language === 'fr'
    ? ['/compte', { signIn: 'connexion', link: 'lien', keys: 'cles', usage: 'utilisation', plan: 'offre', settings: 'reglages' }]
    : ['/en/account', { signIn: 'sign-in', link: 'link', keys: 'keys', usage: 'usage', plan: 'plan', settings: 'settings' }];
  const view = (name, ...parts) => ({ name, path: [at, ...parts].join('/'), status: 200 });
  const own = ['keys', 'usage', 'plan', 'settings'].map(name => view(name, words[name]));
  return {
    nobody: [
      view('sign-in', words.signIn), view('sign-in-link', words.signIn, `${words.link}?jeton=a`),
      { name: 'report', path: language === 'fr' ? '/signaler/tournevis' : '/en/report/tournevis', status: 200 },
    ],
    new: [view('keys', words.keys), view('usage', words.usage)],
    developer: [...own, view('webhooks', 'webhooks')],
    pro: [
      ...own, view('webhooks', 'webhooks'), view('endpoint', 'webhooks', endpoint),
      view('endpoint-unverified', 'webhooks', unverified), view('delivery', 'webhooks', endpoint, delivery),
      { ...view('delivery-none', 'webhooks', endpoint, 'dlv_aaaaaaaaaaaaaaaa'), status: 404 },
    ],
  };
}

// signIn follows a link of the operator's, and returns the cookies that this gives.
async function signIn(browser, { run }, { email }) {
  const page = await browser.newPage();
  await page.goto((await run('account', 'login-link', email)).trim());
  await Promise.all([page.waitForNavigation(), page.locator('main button').first().click()]);
  const { cookies } = await page.context().storageState();
  await page.close();
  return cookies;
}

// deliver gives an account an endpoint that got a new price, and one that is not verified.
async function deliver({ run }, { email }, directory, receiver) {
  await run('webhook', 'create', email, `${receiver.url}/un`, '--vouch', '--description', 'Notre entrepôt');
  await run('webhook', 'create', email, `${receiver.url}/deux`, '--type', 'price.changed');
  const endpoints = JSON.parse(await run('webhook', 'list', email, '--json'));
  const [endpoint, unverified] = ['un', 'deux'].map(path => endpoints.find(e => e.url.endsWith(path)).id);
  reprice(directory);
  await run('publish', directory);
  for (let tries = 0; tries < 300; tries++) {
    const deliveries = JSON.parse(await run('webhook', 'deliveries', endpoint, '--json'));
    const done = deliveries.find(d => d.state === 'delivered');
    if (done) return { endpoint, unverified, delivery: done.id };
    await new Promise(done => setTimeout(done, 200));
  }
  throw new Error('nothing is delivered');
}

// useForAMonth writes what quota writes when requests are counted. A limit was reached twice.
async function useForAMonth({ id, key_list: keys }, limit) {
  const lines = [];
  for (let ago = 0; ago < 30; ago++) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const used = limit && [5, 11].includes(ago) ? limit : (ago * 337 + 612) % 900;
    const usage = `palmares:usage:${day}:${id}`, counter = `palmares:quota:${day}:account:${id}`;
    lines.push(`HSET ${usage} ${keys[0].id} ${used - Math.floor(used / 3)} ${keys[1].id} ${Math.floor(used / 3)}`);
    lines.push(limit ? `SET ${counter} ${used} EX 86400` : `HSET ${usage} unlimited ${used}`);
    lines.push(`EXPIRE ${usage} 86400`);
  }
  const { hostname, port, pathname } = new URL(process.env.PAGES_REDIS ?? 'redis://127.0.0.1:6379');
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  socket.on('data', text => { answer += text; });
  socket.write([`SELECT ${pathname.slice(1) || 0}`, ...lines, 'QUIT', ''].join('\r\n'));
  await new Promise((done, fail) => socket.once('close', done).once('error', fail));
  if (/^-/m.test(answer)) throw new Error(`Redis: ${answer}`);
}
