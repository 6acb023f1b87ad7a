// What the cases of ../../cases.json do not show. A server answers what a test tells it to.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as palmares from '../dist/index.js';
import { DirectoryStore } from '../dist/directory.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

// A server that gives the answers of a function of the number of the request: [status, headers, body].
async function serving(t, answer) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const [status, headers, body] = answer(requests.length, request);
    response.writeHead(status, headers);
    if (body !== undefined) response.end(body);
    else response.write('{"tools_total"'); // and never the rest
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

// Lets no time pass, and returns the waits in seconds: with the chance in them, they are no whole milliseconds.
function instantly(t) {
  const waits = [];
  const real = globalThis.setTimeout;
  t.mock.method(globalThis, 'setTimeout', (f, ms, ...more) => {
    if (Number.isInteger(ms)) return real(f, ms, ...more);
    waits.push(ms / 1000);
    return real(f, 0, ...more);
  });
  return waits;
}

test('arguments are refused', async () => {
  for (const url of ['', 'catalogue.example', 'ftp://catalogue.example', 'http://u:p@catalogue.example', 'http://a.example?b', 'http://a.example#b', undefined]) {
    assert.throws(() => new palmares.Client(url), TypeError, String(url));
  }
  for (const apiKey of ['plm_é', 'plm_a\r\nHost: b', 'plm_a b']) {
    assert.throws(() => new palmares.Client('http://catalogue.example', { apiKey }), (e) => e instanceof TypeError && !e.message.includes(apiKey));
  }
  for (const name of ['', '.', '..']) assert.throws(() => new palmares.Client('http://127.0.0.1:1').getTool(name), TypeError);
});

test('the key is shown nowhere', async (t) => {
  const { url } = await serving(t, () => [401, {}, '{}']);
  const client = new palmares.Client(url, { apiKey: 'plm_secret' });
  const error = await client.getStats().catch((e) => e);
  assert.ok(error instanceof palmares.AuthenticationError);
  const { inspect } = await import('node:util');
  assert.ok(!(inspect(client, { depth: 9, showHidden: true }) + inspect(error) + JSON.stringify(client)).includes('plm_secret'));
});

test('waits are never shorter than told, and differ', async (t) => {
  const { url } = await serving(t, (n) => (n % 3 ? [503, { 'retry-after': '2' }, '{}'] : [200, {}, '{}']));
  const waits = instantly(t);
  for (let i = 0; i < 5; i++) await new palmares.Client(url).getStats();
  assert.equal(waits.length, 10);
  assert.ok(waits.every((w) => w >= 2 && w <= 3), String(waits));
  assert.ok(new Set(waits).size > 1);
});

test('waits grow, and end with the budget', async (t) => {
  const { url } = await serving(t, () => [503, {}, '']);
  const waits = instantly(t);
  const error = await new palmares.Client(url, { retries: 50, budget: 60 }).getStats().catch((e) => e);
  assert.ok(error instanceof palmares.UnavailableError);
  assert.equal(error.retryAt, null);
  const sum = waits.reduce((a, b) => a + b);
  assert.ok(sum > 30 && sum <= 60, String(sum));
  assert.ok(waits[4] > 2 * waits[0], String(waits));
});

test('a signal ends a call wherever it is', async (t) => {
  const stuck = [
    () => [200, {}, undefined], // within a body
    () => [503, { 'retry-after': '59' }, '{}'], // between attempts
  ];
  for (const answer of stuck) {
    const { url, requests } = await serving(t, answer);
    const stop = new AbortController();
    const call = new palmares.Client(url).getStats({ signal: stop.signal });
    while (!requests.length) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => stop.abort(), 20);
    await assert.rejects(call, { name: 'AbortError' });
    assert.equal(requests.length, 1);
  }
  const { url, requests } = await serving(t, () => [200, {}, '{}']);
  await assert.rejects(new palmares.Client(url).getStats({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  const listed = (async () => { for await (const _ of new palmares.Client(url).listTools({}, { signal: AbortSignal.abort() })); })();
  await assert.rejects(listed, { name: 'AbortError' });
  assert.equal(requests.length, 0);
});

test('a service that falls silent is a network that failed', async (t) => {
  const { url, requests } = await serving(t, (n) => (n < 2 ? [200, {}, undefined] : [200, {}, '{"tools_total": 3}']));
  const client = new palmares.Client(url, { timeout: 0.2 });
  assert.equal((await client.getStats()).value.tools_total, 3);
  assert.equal(requests.length, 2);
});

test('hostile headers', async (t) => {
  for (const told of ['-1', '9'.repeat(400), 'soon', '1.5', 'Fri, 31 Dec 9999 23:59:59 GMT']) {
    const { url } = await serving(t, () => [429, { 'retry-after': told, 'x-ratelimit-tier': 'free', 'x-ratelimit-remaining': '-', 'x-ratelimit-reset': 'x', link: '<,>' }, '[1]']);
    const error = await new palmares.Client(url, { retries: 0 }).getStats().catch((e) => e);
    assert.ok(error instanceof palmares.QuotaExceededError, `${told}: ${error}`);
    assert.equal(error.code, null);
    assert.deepEqual(error.quota, { tier: 'free', remaining: null, reset: null });
  }
});

test('a renamed item names its slug', async (t) => {
  const link = '</x>; rel="license", </api/v1/tools/tocsin>; rel="successor-version"';
  const { url } = await serving(t, () => [404, { link }, '{"code": "renamed"}']);
  const error = await new palmares.Client(url).getTool('lima').catch((e) => e);
  assert.equal(error.successor, 'tocsin');
});

test('a damaged file is replaced', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'palmares-')), 'cache');
  const { url, requests } = await serving(t, (_, { headers }) => (headers['if-none-match'] ? [304, {}, ''] : [200, { etag: '"a"' }, '{"tools_total": 3}']));
  const client = new palmares.Client(url, { store: new DirectoryStore(path) });
  const damages = [(b) => b, (b) => b.slice(0, -1), (b) => b.replace('3}', '4}'), () => '', () => '[]\n{}', () => 'null\n{}'];
  for (const damage of damages) {
    await client.getStats();
    const files = await readdir(path);
    assert.equal(files.length, 1);
    const file = join(path, files[0]);
    await writeFile(file, damage(await readFile(file, 'utf8')));
    assert.equal((await client.getStats()).value.tools_total, 3);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  }
  assert.equal((await stat(path)).mode & 0o777, 0o700);
  assert.equal(requests.filter((r) => !r.headers['if-none-match']).length, damages.length);
});

test('memory is bounded', () => {
  const store = new palmares.MemoryStore(10);
  const entry = (size) => ({ etag: '"x"', headers: {}, body: new Uint8Array(size) });
  for (const key of 'abc') {
    store.put(key, entry(4));
    store.get('a');
  }
  assert.equal(store.get('b'), undefined);
  store.put('a', entry(11));
  assert.equal(store.get('a'), undefined);
  store.put('a', entry(10));
  assert.ok(store.get('a'));
});

test('the cursor moves after its page, and a log that stands still is read once', async (t) => {
  const { url, requests } = await serving(t, (n) => [200, {}, JSON.stringify({ data: [{ data: { seq: n } }], next: `${Math.min(n, 2)}-a`, more: true })]);
  const changes = new palmares.Client(url).listChanges({ since: '0' });
  const seen = [];
  for await (const event of changes) seen.push([event.data.seq, changes.cursor]);
  assert.deepEqual(seen, [[1, '0'], [2, '1-a'], [3, '2-a']]);
  assert.equal(requests.length, 3);
});

test('the vector of the guide about webhooks', async () => {
  const headers = { 'Webhook-Id': 'msg_1', 'Webhook-Timestamp': '1794821400', 'Webhook-Signature': 'v1a,AAAA v1, v1,/Rz32fN64pJv4GA3O84p6zc1D4i2baxKrqVxndsjTRc=' };
  const now = 1794821400;
  // The signature is good, the body is none of ours.
  await assert.rejects(palmares.verifyWebhook('{}', headers, secret, { now }), /no event/);
  await assert.rejects(palmares.verifyWebhook(new TextEncoder().encode('{}'), new Headers(headers), [secret], { now }), /no event/);
  for (const wrong of [{ 'Webhook-Id': 'msg_2' }, { 'Webhook-Timestamp': '-1' }, { 'Webhook-Signature': 'v1,é' }, { 'Webhook-Signature': '' }]) {
    await assert.rejects(palmares.verifyWebhook('{}', { ...headers, ...wrong }, [secret], { now }), palmares.WebhookError, JSON.stringify(wrong));
  }
  for (const bad of ['', 'whsec_', 'whsec_*']) await assert.rejects(palmares.verifyWebhook('{}', headers, bad, { now }), TypeError, bad);
});
