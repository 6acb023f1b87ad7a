// Runs programs of this folder, which look at the site, in one browser: main.mjs journey,readme [their
// arguments]. Each exports run, which gets the browser and the arguments and returns the number of faults. Two
// run at once: they wait for mails, deliveries and nodes more than they work.
import { launch } from './browser.mjs';
import { end } from './servers.mjs';

const [names, ...args] = process.argv.slice(2);

async function main() {
  const programs = await Promise.all(names.split(',').map(name => import(`./${name}.mjs`)));
  const browser = await launch();
  let faults = 0;
  const worker = async () => {
    for (let program; (program = programs.shift());) {
      const found = await program.run(browser, args); // first: += would add to what faults was before the wait
      faults += found;
    }
  };
  const ended = await Promise.allSettled([worker(), worker()]);
  await browser.close();
  for (const { reason } of ended) if (reason) throw reason;
  return faults;
}

process.exit(await main().finally(end) > 0 ? 1 : 0);
