// @ts-check
// A minimal receiver of webhooks: node and nothing else. It is verify.ts without
// TypeScript's syntax, for versions of node before 22.18.
//
//	WEBHOOK_SECRET=whsec_… PORT=8000 node verify.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const tolerance = 5 * 60; // seconds
const mostBytes = 20_000;

/**
 * @typedef {object} Event
 * @property {string} type
 * @property {string} timestamp
 * @property {{ seq?: number, edition?: number, slug?: string, changed?: string[], object?: object | null, previous?: object, challenge?: string }} data
 */

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
if (key.length === 0) throw new Error('WEBHOOK_SECRET is not a secret');
/** @type {Set<string>} */
const seen = new Set(); // in production: a table with a unique webhook-id

/**
 * verify says whether one of the signatures is that of the body, made just now.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {Buffer} body
 * @param {number} now
 */
function verify(headers, body, now) {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  if (id === '' || !/^[0-9]+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) return false;
  const want = Buffer.from('v1,' + createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64'));
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .map((s) => Buffer.from(s))
    .some((s) => s.length === want.length && timingSafeEqual(s, want));
}

/**
 * handle is for what takes time; in production a queue that survives a restart.
 * @param {Event} event
 */
function handle(event) {
  console.log(event.type, event.data.slug ?? '', event.data.seq ?? 0);
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function receive(request, response) {
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > mostBytes) return void response.writeHead(413, { connection: 'close' }).end('too large');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!verify(request.headers, body, Date.now() / 1000)) {
    return void response.writeHead(401).end('not signed by the catalog');
  }
  /** @type {Event} */
  const event = JSON.parse(body.toString());
  if (event.type === 'webhook.test' && event.data.challenge) return void response.end(event.data.challenge);
  const id = String(request.headers['webhook-id']);
  if (!seen.has(id)) {
    seen.add(id);
    setImmediate(handle, event);
  }
  response.writeHead(204).end();
}

// A sender that hangs up, or a body that is not JSON, must not end the process.
const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
server.requestTimeout = 10_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
