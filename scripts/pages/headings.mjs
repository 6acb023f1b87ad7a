// The heading that each page must have. A page without a line here is a fault: whoever adds one says how it is headed,
// and a heading that comes from elsewhere is noticed.
import fs from 'node:fs';

// pages are the headings by path, French and English. {x} in a path stands for what names an item, and in a heading for
// the item's name, of which the slug is made. An expression is for what the catalog says. One of several is for the
// states of a page.
const pages = [
  ['/', 'Les outils d’IA, notés, comparés, prix compris.', '/en/', 'AI tools, scored, compared and priced.'],
  ['/outils', 'Classement', '/en/tools', 'Ranking'],
  ['/carte', 'Payer plus, pour mieux ?', '/en/map', 'Does paying more buy better?'],
  ['/outils/{x}', '{x}', '/en/tools/{x}', '{x}'],
  ['/avis/{x}', ['Avis sur {x}', 'L’avis sur {x} a été retiré'], '/en/reviews/{x}', ['Review: {x}', 'The review of {x} has been removed']],
  ['/alternatives/{x}', 'Alternatives à {x}', '/en/alternatives/{x}', 'Alternatives to {x}'],
  ['/signaler/{x}', 'Signaler une erreur', '/en/report/{x}', 'Report an error'],
  ['/categories/{x}', /^\p{Lu}[\p{L} ]+$/u, '/en/categories/{x}', /^\p{Lu}[\p{L} ]+$/u],
  ['/comparatifs', 'Comparatifs', '/en/comparisons', 'Comparisons'],
  ['/comparatifs/{x}', /^.+ ou .+ : .+ \?$/, '/en/comparisons/{x}', /^.+ or .+: .+\?$/],
  ['/prix', /^Les prix( : .+)?$/, '/en/prices', /^Prices(: .+)?$/],
  ['/cimetiere', 'Cimetière', '/en/cemetery', 'Cemetery'],
  ['/recherche', 'Recherche', '/en/search', 'Search'],
  ['/journal', 'Journal', '/en/journal', 'Journal'],
  ['/suivi', 'Votre liste', '/en/watch', 'Your list'],
  ['/comparer', 'Comparer des outils', '/en/compare', 'Compare tools'],
  ['/tarifs', 'Tarifs', '/en/plans', 'Plans'],
  ['/statut', 'État du service', '/en/status', 'Service status'],
  ['/comment-nous-testons', 'Comment nous testons', '/en/how-we-test', 'How we test'],
  ['/mentions-legales', 'Mentions légales', '/en/legal', 'Legal notice'],
  ['/confidentialite', 'Confidentialité', '/en/privacy', 'Privacy'],
  ['/conditions', 'Conditions', '/en/terms', 'Terms'],
  ['/resilier', 'Résilier votre contrat', '/en/cancel', 'Cancel your contract'],
  ['/donnees', 'Données à télécharger', '/en/data', 'Downloads'],
  ['/agents', 'Pour les agents', '/en/agents', 'For agents'],
  ['/docs', 'Documentation', '/en/docs', 'Documentation'],
  ['/docs/api', 'Référence de l’API', '/en/docs/api', 'API reference'],
  ['/docs/api/list-tools', 'Lister les outils', '/en/docs/api/list-tools', 'List tools'],
  ['/docs/api/appel/list-tools', 'Lister les outils', '/en/docs/api/call/list-tools', 'List tools'],
  ['/docs/api/get-tool', 'Obtenir un outil', '/en/docs/api/get-tool', 'Get one tool'],
  ['/docs/api/get-embeddings', 'Obtenir les extraits d’un outil', '/en/docs/api/get-embeddings', 'Get the chunks of one tool'],
  ...guides(),
  ['/compte/connexion', ['Une adresse, et c’est tout', 'Consultez vos e-mails'], '/en/account/sign-in', ['Sign in with your e-mail', 'Check your e-mail']],
  ['/compte/connexion/lien', 'Se connecter', '/en/account/sign-in/link', 'Sign in'],
  ['/compte/cles', ['Clés', 'Votre première clé', 'Votre nouvelle clé', 'Déjà fait'], '/en/account/keys', ['Keys', 'Your first key', 'Your new key', 'Already done']],
  ['/compte/utilisation', 'Consommation', '/en/account/usage', 'Usage'],
  ['/compte/liste', 'Votre liste', '/en/account/list', 'Your list'],
  ['/compte/desabonnement/liste', ['Ne plus recevoir le récapitulatif', 'C’est fait', 'Ce lien ne mène à aucun compte'], '/en/account/unsubscribe/list', ['Stop the digest', 'Done', 'This link leads to no account']],
  ['/compte/webhooks', ['Webhooks', 'Vérifier le webhook'], '/en/account/webhooks', ['Webhooks', 'Verify the endpoint']],
  ['/compte/webhooks/ep_{id}', ['Livraisons', 'Vérifier le webhook'], '/en/account/webhooks/ep_{id}', ['Deliveries', 'Verify the endpoint']],
  ['/compte/webhooks/ep_{id}/msg_{id}', /^[a-z]+\.[a-z]+$/, '/en/account/webhooks/ep_{id}/msg_{id}', /^[a-z]+\.[a-z]+$/],
  ['/compte/offre', ['Offre', 'Vers le paiement', 'Factures et moyen de paiement'], '/en/account/plan', ['Plan', 'Continue to payment', 'Invoices and payment method']],
  ['/compte/offre/commande', ['Commander Pro', 'Vers le paiement'], '/en/account/plan/order', ['Order Pro', 'Continue to payment']],
  ['/compte/offre/resiliation', 'Résilier Pro', '/en/account/plan/cancel', 'Cancel Pro'],
  ['/compte/offre/paiement', 'Paiement', '/en/account/plan/payment', 'Payment'],
  ['/compte/reglages', ['Compte', 'Votre compte est supprimé'], '/en/account/settings', ['Account', 'Your account is deleted']],
  ['/compte/reglages/adresse', 'Changement d’adresse', '/en/account/settings/address', 'Change of address'],
].flatMap(([french, inFrench, english, inEnglish]) => [[french, inFrench], [english, inEnglish]])
  .map(([path, heading]) => ({
    path: new RegExp(`^${path.replace('{x}', '(?<item>[a-z0-9-]+)').replaceAll('{id}', '[a-z0-9]+')}$`), headings: [heading].flat(),
  }));

// errors are the headings of pages that are none, by status, in either language.
const errors = {
  400: ['Cette valeur n’est pas acceptée', 'This value is not accepted'],
  403: ['Ce formulaire n’est plus valable', 'This form is no longer valid'],
  404: ['Rien à cette adresse', 'Nothing here'],
  429: ['Trop de demandes', 'Too many requests'],
};

// guides are headed as their files are.
function guides() {
  const names = [...fs.readFileSync('docs/guides/guides.go', 'utf8').matchAll(/^\t\{"([a-z-]+)", "([a-z-]+)"\},$/gm)];
  const title = (language, name) => fs.readFileSync(`docs/guides/${language}/${name}.md`, 'utf8').match(/^# (.+)$/m)[1];
  return names.map(([, fr, en]) => [`/docs/${fr}`, title('fr', fr), `/en/docs/${en}`, title('en', en)]);
}

// checkHeading returns what is wrong with the heading of the page that is open, which was answered with a status or,
// with 0, with any.
export async function checkHeading(page, status) {
  const { pathname } = new URL(page.url());
  const said = (await page.locator('h1').first().textContent()).replace(/[\s\u00a0\u202f]+/g, ' ').trim();
  if (errors[status]) return errors[status].includes(said) ? [] : [`the page of a ${status} is headed “${said}”`];
  const wanted = pages.find(({ path }) => path.test(pathname));
  if (!wanted) return [`headings.mjs does not say how ${pathname} is headed: “${said}”`];
  const item = wanted.path.exec(pathname).groups?.item;
  return wanted.headings.some(heading => fits(heading, said, item)) ? [] : [`is headed “${said}”, not ${wanted.headings.join(' or ')}`];
}

function fits(heading, said, item) {
  if (heading instanceof RegExp) return heading.test(said);
  const [before, after] = heading.split('{x}');
  if (after === undefined) return said === heading;
  return said.startsWith(before) && said.endsWith(after) && slug(said.slice(before.length, said.length - after.length)) === item;
}

// slug is that of a name, as the example's tools have it.
function slug(name) {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('œ', 'oe').replaceAll('Œ', 'oe').toLowerCase()
    .replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}
