// Runs programs of this folder, which look at the site, in one browser: main.mjs journey,readme [their
// arguments]. Each exports run, which gets the browser and the arguments and returns the number of faults. All
// begin at once, and turns.mjs says how many of their walks do: the programs with the longest walks come first.
import { launch } from './browser.mjs';
import { end } from './servers.mjs';

const [names, ...args] = process.argv.slice(2);

async function main() {
  const programs = await Promise.all(names.split(',').map(name => import(`./${name}.mjs`)));
  const browser = await launch();
  const ended = await Promise.allSettled(programs.map(program => program.run(browser, args)));
  await browser.close();
  for (const { reason } of ended) if (reason) throw reason;
  return ended.reduce((faults, { value }) => faults + value, 0);
}

process.exit(await main().finally(end) > 0 ? 1 : 0);
