// Writes the samples of README.md and of the guides as files, to compile and run: documents.mjs URL DIRECTORY.
import { readFile, writeFile } from 'node:fs/promises';

const [url, directory] = process.argv.slice(2);
let n = 0;
for (const name of ['../README.md', '../../../docs/guides/en/typescript-client.md']) {
  const text = await readFile(new URL(name, import.meta.url), 'utf8');
  for (const [, sample] of text.matchAll(/^```ts.*\n([^]*?)^```$/gm)) {
    const filled = sample.replaceAll('https://catalogue.example', url).replaceAll('{{base}}', url);
    await writeFile(`${directory}/sample${n++}.mts`, `${filled}export {};\n`);
  }
}
if (n !== 14) throw new Error(`${n} samples were found`);
