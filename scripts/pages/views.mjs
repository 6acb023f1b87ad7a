// What there is to look at: one page of every kind that internal/address/site.go lists, found by
// following links from the front page as a reader would, and the states that no link leads to.
import fs from 'node:fs';

export const languages = ['fr', 'en'];

// unlinked are the kinds that no link of these sites leads to: a form does, it is where Pro is sold, which
// subscription.mjs looks at, or it needs a database, as the form of errors does, which accounts.mjs looks at.
const unlinked = ['operation call', 'search', 'end-contract', 'report'];
const search = ['/recherche', '/en/search'];
const called = ['/docs/api/appel', '/en/docs/api/call'];

// kinds are the kinds of pages: their names and their paths in each language. What has an extension is a
// feed, a picture or a text.
const kinds = [...fs.readFileSync('internal/address/site.go', 'utf8')
  .matchAll(/= Page\{"([\w -]+)", "([^"]*)", "([^"]*)"\}/g)]
  .map(([, name, ...paths]) => ({ name, paths }))
  .filter(({ name, paths }) => !/\.\w+$/.test(paths[0]) && !unlinked.includes(name));
if (kinds.length < 20) throw new Error(`site.go: read only ${kinds.length} kinds of pages`);

// sections are the entries of the masthead.
const masthead = fs.readFileSync('internal/layout/frame.go', 'utf8').match(/sections = \[\]address\.Page\{(.*?)\}/s)[1];
export const sections = Object.fromEntries(languages.map((language, i) => [
  language, kinds.filter(kind => new RegExp(`address\\.${kind.name}\\b`, 'i').test(masthead)).map(kind => kind.paths[i]),
]));

// guides are the names of the guides beside the first, to which links lead.
const guides = [...fs.readFileSync('docs/guides/guides.go', 'utf8')
  .matchAll(/^\t\{"([a-z-]+)", "([a-z-]+)"\},$/gm)].map(names => names.slice(1)).slice(1);
if (guides.length < 5) throw new Error('guides.go: read too few guides');

// operations are of other makes than the first, a list, to which links lead: an item, and one that
// wants a key.
const operations = ['get-tool', 'get-embeddings'];

// findViews returns the pages to look at in a language, each with the status that it must have.
export async function findViews(base, language, faults) {
  const index = languages.indexOf(language);
  const at = (name, slug) => kinds.find(kind => kind.name === name).paths[index]
    .replace('{slug}', slug);
  const views = [];
  const found = await follow(base, index);
  for (const kind of kinds) {
    if (found[kind.name]) views.push({ name: kind.name, path: found[kind.name], status: 200 });
    else faults.push(`${language}: no link leads to a page of the kind ${kind.name}`);
  }

  const { data: tools } = await ask(base, '/api/v1/tools?limit=100');
  const { data: [retired] } = await ask(base, '/api/v1/cimetiere?limit=1');
  const bare = tools.find(tool => tool.score === null && tool.avis_url === null);
  const nothing = 'score_min=10&category=code';
  if (!bare || !retired || (await ask(base, `/api/v1/tools?${nothing}`)).meta.total !== 0) {
    throw new Error('the catalog has no tool without a score and a review, none that is retired, ' +
      `or one for ${nothing}: choose others in views.mjs`);
  }
  const typo = tools[0].slug.slice(0, -1);
  const beside = (...slugs) => `${at('compare')}?${['outils', 'tools'][index]}=${slugs.toSorted().join(',')}`;
  return views.concat([
    { name: 'tools-filtered', path: `${at('tools')}?category=code&sort=name_asc`, status: 200 },
    { name: 'tools-searched', path: `${at('tools')}?q=code&price_max=20&category=code,agents`, status: 200 },
    { name: 'search', path: search[index], status: 200 },
    { name: 'search-found', path: `${search[index]}?q=copeau`, status: 200 },
    { name: 'search-near', path: `${search[index]}?q=tuornevis`, status: 200 },
    { name: 'search-nothing', path: `${search[index]}?q=zzzzzz`, status: 200 },
    { name: 'compare-one', path: beside(bare.slug), status: 200 },
    { name: 'compare-two', path: beside(tools[0].slug, tools[1].slug), status: 200 },
    { name: 'compare-four', path: beside(tools[0].slug, tools[1].slug, bare.slug, retired.slug), status: 200 },
    { name: 'compare-typed', path: `${beside(tools[0].slug)}&q=image`, status: 200 },
    { name: 'compare-nothing', path: `${at('compare')}?q=zzzzzz`, status: 200 },
    { name: 'compare-five', path: beside('a', 'b', 'c', 'd', 'e'), status: 400 },
    { name: 'watch-list', path: `${at('watch')}?${['outils', 'tools'][index]}=${[tools[0].slug, bare.slug, retired.slug].toSorted().join(',')}`, status: 200 },
    { name: 'tools-none', path: `${at('tools')}?${nothing}`, status: 200 },
    { name: 'tool-bare', path: at('tool', bare.slug), status: 200 },
    { name: 'tool-retired', path: at('tool', retired.slug), status: 200 },
    { name: 'alternatives-bare', path: at('alternatives', bare.slug), status: 200 },
    { name: 'alternatives-retired', path: at('alternatives', retired.slug), status: 200 },
    { name: 'prices-category', path: `${at('prices')}?category=code`, status: 200 },
    ...guides.map(names => (
      { name: `guide-${names[1]}`, path: at('guide', names[index]), status: 200 })),
    ...operations.map(name => (
      { name: `operation-${name}`, path: at('operation', name), status: 200 })),
    { name: 'operation-called', path: `${called[index]}/list-tools?limit=1&send=1`, status: 200 },
    { name: 'error-400', path: `${at('tools')}?score_min=beaucoup`, status: 400 },
    { name: 'error-400-choices', path: `${at('tools')}?sort=x&category=code`, status: 400 },
    { name: 'error-404', path: `${at('landing')}nulle-part`, status: 404 },
    { name: 'error-404-near', path: at('tool', typo), status: 404 },
    { name: 'error-410', path: at('review', retired.slug), status: 410 },
  ]);
}

async function ask(base, path) {
  const answer = await fetch(base + path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

// follow reads pages, the front page first, until it has seen one of each kind or all.
async function follow(base, index) {
  // A path without a slug comes first: a guide's path would fit the reference too.
  const exact = kind => kind.paths[index].includes('{slug}') ? 1 : 0;
  const patterns = kinds.toSorted((a, b) => exact(a) - exact(b)).map(kind => [
    kind.name, new RegExp(`^${kind.paths[index].replace('{slug}', '[a-z0-9-]+')}$`),
  ]);
  const queue = [kinds[0].paths[index]], seen = new Set(queue), found = {};
  while (queue.length > 0 && Object.keys(found).length < kinds.length) {
    const path = queue.shift();
    const answer = await fetch(base + path, { redirect: 'manual' });
    const html = await answer.text();
    if (answer.status !== 200) continue;
    const kind = patterns.find(([, pattern]) => pattern.test(path));
    if (kind) found[kind[0]] ??= path;
    for (const [, href] of html.matchAll(/<a\s[^>]*?href="([^"#?]+)"/g)) {
      const wanted = patterns.find(([, pattern]) => pattern.test(href));
      if (!wanted || found[wanted[0]] || seen.has(href)) continue;
      seen.add(href);
      queue.push(href);
    }
  }
  return found;
}
