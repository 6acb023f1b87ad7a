// Uses the client in a page of another origin: browser.mjs URL KEY, of a service to call. CHROMIUM names the browser.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const [service, key] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  if (request.url === '/') {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>a page</title>');
    return;
  }
  try {
    response.setHeader('content-type', 'text/javascript').end(await readFile(new URL(`../dist${request.url}`, import.meta.url)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  const refused = [];
  page.on('console', (message) => message.type() === 'error' && !/status of 40[14]/.test(message.text()) && refused.push(message.text()));
  page.on('pageerror', (error) => refused.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const seen = await page.evaluate(async ([service, key]) => {
    const { ApiError, Client, MemoryStore, verifyWebhook } = await import('/index.js');
    const anonymous = new Client(service);
    const slugs = [];
    const list = anonymous.listTools({ limit: 20 });
    for await (const tool of list) slugs.push(tool.slug);
    const client = new Client(service, { apiKey: key, store: new MemoryStore() });
    const answers = [await client.getTool(slugs[0]), await client.getTool(slugs[0])];
    const missing = await anonymous.getTool('nope').catch((e) => e);
    const keyless = await anonymous.listEmbeddings().catch((e) => e);
    const stopped = await anonymous.getStats({ signal: AbortSignal.abort() }).catch((e) => e.name);
    const nowhere = await new Client('http://127.0.0.1:1', { retries: 0 }).getStats().catch((e) => e.name);
    const body = '{"type": "a", "data": {}}';
    const bad = await verifyWebhook(body, new Headers(), 'whsec_AAAA').catch((e) => e.name);
    const file = await anonymous.downloadFile('tools.jsonl');
    return {
      slugs: slugs.length, unique: new Set(slugs).size, total: list.last.value.meta.total, attribution: list.last.attribution,
      notModified: answers.map((a) => a.notModified), tier: answers.map((a) => a.quota?.tier), same: answers[0].value.name === answers[1].value.name,
      ids: [answers[1].requestId, missing.requestId].map((id) => id.length > 3), missing: [missing instanceof ApiError, missing.status, missing.code],
      keyless: keyless.code, stopped, nowhere, bad, rows: file.rows().length, cursor: file.cursor,
    };
  }, [service, key]);
  assert.deepEqual({ ...seen, cursor: /^\d+-[0-9a-f]{16}$/.test(seen.cursor), attribution: /^Source : .*\(http/.test(seen.attribution) }, {
    slugs: seen.total, unique: seen.total, total: seen.rows, attribution: true, notModified: [false, true], tier: ['pro', 'pro'], same: true,
    ids: [true, true], missing: [true, 404, 'unknown'], keyless: 'key_missing', stopped: 'AbortError', nowhere: 'NetworkError', bad: 'WebhookError',
    rows: seen.rows, cursor: true,
  });
  assert.ok(seen.rows > 20);
  const unexpected = refused.filter((text) => !/ERR_(UNSAFE_PORT|CONNECTION_REFUSED)/.test(text));
  assert.deepEqual(unexpected, []);
  console.log(`   ${browser.version()}: ${seen.slugs} tools in a page of another origin`);
} finally {
  await browser.close();
  server.close();
}
