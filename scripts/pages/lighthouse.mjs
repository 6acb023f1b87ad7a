// Asks Lighthouse three times about the front page, the list, a tool's page, a guide and an operation
// of the API of `palmares serve`, or about the kinds that its arguments name, and wants 0.95 at least in
// every category, as the median.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { flags } from './browser.mjs';
import { serve } from './servers.mjs';
import { findViews } from './views.mjs';

const usual = ['landing', 'tools', 'tool', 'guide', 'operation'];
const program = ['--yes', '--ignore-scripts', 'lighthouse@12.8.2'], runs = 3, least = 0.95;

async function report(url, tries = 3) {
  try {
    const { stdout } = await promisify(execFile)('npx', [...program, url, '--quiet',
      '--output=json', `--chrome-flags=--headless=new ${flags.join(' ')}`],
    { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM }, maxBuffer: 1 << 26 });
    return JSON.parse(stdout);
  } catch (error) { // on a busy machine it may lose its own trace
    if (tries === 1) throw new Error(`lighthouse ${url}: ${error.stderr}`);
    return report(url, tries - 1);
  }
}

const median = list => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

// It has browsers of its own.
export async function run(_, named) {
  const kinds = named.length > 0 ? named : usual;
  let short = 0;
  const base = await serve('examples/catalog', { history: true });
  const views = await findViews(base, 'fr', []);
  for (const name of kinds) {
    const { path } = views.find(view => view.name === name);
    const reports = [];
    for (let i = 0; i < runs; i++) reports.push(await report(base + path));
    for (const category of Object.keys(reports[0].categories)) {
      const score = median(reports.map(report => report.categories[category].score));
      console.log(`${path} ${category} ${score}${score < least ? ', too little:' : ''}`);
      if (score >= least) continue;
      short++;
      const { auditRefs } = reports[0].categories[category];
      for (const { id, weight } of auditRefs) {
        const audit = reports[0].audits[id];
        if (weight > 0 && audit.score < 0.9) console.log(`   ${id}: ${audit.title} ${audit.displayValue ?? ''}`);
      }
    }
  }
  return short;
}
