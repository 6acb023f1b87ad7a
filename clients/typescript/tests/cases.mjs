// Runs the cases of ../cases.json, as ../README.md describes.
import { readFile } from 'node:fs/promises';
import * as palmares from '../dist/index.js';
import { DirectoryStore } from '../dist/directory.js';

const pathNames = ['slug', 'file'];

function clientOf(theCase, wanted) {
  let store;
  if (wanted.store === 'memory') store = new palmares.MemoryStore();
  if (wanted.store === 'directory') store = new DirectoryStore(wanted.directory);
  const { key: apiKey, retries, budget } = wanted;
  return new palmares.Client(wanted.url ?? theCase.url, { apiKey, store, retries, budget });
}

// Puts values of earlier outcomes in place of $0.next.
function filled(value, outcomes) {
  if (Array.isArray(value)) return value.map((v) => filled(v, outcomes));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v, outcomes)]));
  const found = typeof value === 'string' && /^\$(\d+)\.(.+)$/.exec(value);
  return found ? found[2].split('.').reduce((at, part) => at[part], outcomes[found[1]]) : value;
}

const told = (quota) => quota && { ...quota, reset: quota.reset && quota.reset.toISOString().replace('.000Z', 'Z') };

const about = (r) => ({
  status: 200, request_id: r.requestId, cursor: r.cursor, updated_at: r.updatedAt, attribution: r.attribution, from_store: r.notModified, quota: told(r.quota),
});

function failure(error) {
  if (error instanceof palmares.ApiError) {
    const { status, code, reason: message, parameter, successor, retryAfter: retry_after, requestId: request_id, quota } = error;
    return { kind: 'api', status, code, message, parameter, successor, retry_after, request_id, quota: told(quota) };
  }
  const kinds = { NetworkError: 'network', PagesMovedError: 'shifted', WebhookError: 'webhook', TypeError: 'argument' };
  if (!kinds[error.name]) throw error;
  return { kind: kinds[error.name], message: error.message };
}

async function carryOut(client, step, given, outcome) {
  if (step.call === 'verifyWebhook') {
    outcome.data = await palmares.verifyWebhook(given.body, given.headers, given.secrets);
    return;
  }
  if (step.call === 'syncEmbeddings') {
    Object.assign(outcome, { items: [], removed: [] });
    for await (const { slug, document } of client.syncEmbeddings(given.have)) (document ? outcome.items : outcome.removed).push(document ?? slug);
    return;
  }
  const named = pathNames.filter((name) => name in given).map((name) => given[name]);
  const query = Object.fromEntries(Object.entries(given).filter(([name]) => !pathNames.includes(name)));
  const result = await client[step.call](...named, ...(Object.keys(query).length ? [query] : []));
  if (result instanceof palmares.Download) {
    outcome.response = about(result);
    if (step.call === 'downloadEmbeddings' || given.file.endsWith('.jsonl')) outcome.items = result.rows();
    else outcome.text = result.text();
  } else if (result instanceof palmares.Pages || result instanceof palmares.Changes) {
    outcome.items = [];
    for await (const item of result) {
      outcome.items.push(item);
      if (outcome.items.length === step.take) return;
    }
    if (result instanceof palmares.Changes) outcome.next = result.cursor;
    else outcome.total = result.last.value.meta.total;
    outcome.response = about(result.last);
  } else {
    Object.assign(outcome, { data: result.value, response: about(result) });
  }
}

// Returns the outcomes of a case.
async function run(theCase) {
  const clients = new Map();
  const outcomes = [];
  for (const step of theCase.steps) {
    const outcome = {};
    outcomes.push(outcome);
    try {
      const wanted = step.client ?? theCase.client ?? {};
      if (!clients.has(wanted)) clients.set(wanted, clientOf(theCase, wanted));
      await carryOut(clients.get(wanted), step, filled(step.with ?? {}, outcomes), outcome);
    } catch (error) {
      outcome.error = failure(error);
    }
  }
  return outcomes;
}

const { cases } = JSON.parse(await readFile(process.env.PALMARES_CASES, 'utf8'));
let failed = 0;
for (const theCase of cases) {
  let reasons;
  try {
    const body = JSON.stringify({ steps: await run(theCase) });
    const answer = await fetch(theCase.judge, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    reasons = answer.status === 204 ? '' : await answer.text();
  } catch (error) {
    reasons = `cannot be expressed: ${error?.stack}`;
  }
  if (!reasons) continue;
  failed++;
  console.log(`${theCase.name}: ${reasons}`);
}
console.log(`typescript: ${cases.length - failed} of ${cases.length} cases pass`);
process.exitCode = failed ? 1 : 0;
