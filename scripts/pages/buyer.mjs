// What somebody does who buys Pro, for the journeys that look at what becomes of it: once wide, in French and with
// scripts, once narrow, in English and without.
import { must } from './visitor.mjs';

const french = {
  plan: '/compte/offre', keys: '/compte/cles', webhooks: '/compte/webhooks', signIn: /^Se connecter$/,
  buy: /^Passer à Pro$/, country: /^Pays$/, germany: /Allemagne/, business: /Nom ou raison sociale/, estimate: /Voir le total/,
  total: /117,81 €/, order: /Commander avec obligation de paiement/, unsold: /Pro n’est pas vendu dans les territoires suivants : Monaco/,
  boxes: { activite: /nous ne vendons qu’aux professionnels/, conditions: /sans votre accord sur les conditions/ },
  again: /Cette commande est déjà enregistrée/, second: /Une commande de ce compte attend déjà son paiement/,
  resume: /Reprendre le paiement/, invoices: /Payée/, card: /Visa terminée par 4242/, failed: /Échec du paiement/,
  mend: /Régler la facture/, end: /Résilier votre contrat/, endHere: /Résilier l’abonnement/,
  go: /Continuer vers le paiement/, done: /votre compte a l’offre Pro/,
  name: /^Nom$/, create: /^Créer une clé$/, url: /URL|Adresse/, add: /^Ajouter$/,
  verify: /Vérifier|Envoyer la vérification/, verified: /Le webhook est vérifié/,
  active: /Actif/, cancel: /^Résilier$/, confirm: /Confirmer la résiliation/, cancelled: /Résilié/,
  undo: /Annuler la résiliation/, asleep: /en sommeil/, onHold: /Suspendu/,
  number: /SIREN ou numéro de TVA/, untaxed: /TVA \(autoliquidation\)/, owesNothing: /vous ne devez rien/,
  checking: /DE111111111 \(vérification en cours\)/, unknown: /DE111111111 \(non reconnu : corrigez-le avant le /,
  settings: '/compte/reglages', sure: /Pour confirmer/, erase: /Supprimer mon compte/, erased: /Votre compte est supprimé/,
  renewing: /Une nouvelle période a commencé/, until: /Vous gardez Pro jusqu’au/, payRow: /^Payer/, developer: /Vous avez l’offre Développeur/,
  void: /Annulée/, refunded: /Remboursée : 117,81 €/, portal: /Factures et moyen de paiement/, refusal: /a refusé notre demande/,
  expired: /Visa terminée par 4242, expirée/, closed: /Pro n’est pas en vente en ce moment/,
  mails: {
    welcome: /passe à Pro/, failed: /a échoué/, cancelled: /résiliation est enregistrée/, resumed: /résiliation est annulée/, ended: /revient à l’offre Développeur/, unknown: /n’a pas pu être vérifié/,
    removed: /est retiré de vos factures/, deleted: /compte est supprimé/, refunded: /paiement est remboursé/,
    invoice: /Votre facture PAL-/,
  },
};
const english = {
  plan: '/en/account/plan', keys: '/en/account/keys', webhooks: '/en/account/webhooks', signIn: /^Sign in$/,
  buy: /^Upgrade to Pro$/, country: /^Country$/, germany: /Germany/, business: /Business name/, estimate: /See the total/,
  total: /€117\.81/, order: /Order with obligation to pay/, unsold: /Pro is not sold in Monaco/,
  boxes: { activite: /we sell to businesses only/, conditions: /there is no order unless you accept the terms/ },
  again: /This order has already been placed/, second: /An order of this account already awaits payment/,
  resume: /Continue to payment/, invoices: /Paid/, card: /Visa ending in 4242/, failed: /Payment failed/,
  mend: /Pay the invoice/, end: /Cancel your contract/, endHere: /Cancel the subscription/,
  go: /Continue to payment/, done: /your account is on the Pro plan/,
  name: /^Name$/, create: /^Create a key$/, url: /URL|Address/, add: /^Add it$/,
  verify: /Verify|Send the verification/, verified: /The endpoint is verified/,
  active: /Active/, cancel: /^Cancel$/, confirm: /Confirm the cancellation/, cancelled: /Cancelled/,
  undo: /Undo the cancellation/, asleep: /dormant/, onHold: /Suspended/,
  number: /VAT or company number/, untaxed: /VAT \(reverse charge\)/, owesNothing: /you owe nothing/,
  checking: /DE111111111 \(being checked\)/, unknown: /DE111111111 \(not recognised: please correct it by /,
  settings: '/en/account/settings', sure: /To confirm/, erase: /Delete my account/, erased: /Your account is deleted/,
  renewing: /A new period has begun/, until: /You keep Pro until/, payRow: /^Pay/, developer: /You are on the Developer plan/,
  void: /Void/, refunded: /Refunded: €117\.81/, portal: /Invoices and payment method/, refusal: /refused our request/,
  expired: /Visa ending in 4242, expired/, closed: /Pro is not on sale at the moment/,
  mails: {
    welcome: /is on Pro/, failed: /failed/, cancelled: /cancellation is confirmed/, resumed: /cancellation is undone/, ended: /back on the Developer plan/, unknown: /could not be verified/,
    removed: /is removed from your invoices/, deleted: /account is deleted/, refunded: /payment is refunded/,
    invoice: /Your invoice PAL-/,
  },
};

// With -short each program that buys has one of them.
export const ways = [
  { name: 'wide', width: 1280, height: 900, theme: 'light', script: true, language: 'fr', words: french },
  { name: 'narrow', width: 390, height: 844, theme: 'dark', script: false, language: 'en', words: english },
];

// signIn makes an account and enters it.
export async function signIn(self) {
  const { visitor, run, email, language } = self;
  await run('account', 'create', email);
  await enter(self);
  if (language === 'fr') return;
  await visitor.go('/compte/reglages'); // the account is in French until its owner says otherwise
  await visitor.choose(/Langue/, /English|anglais/i);
  await visitor.press(/Enregistrer/);
}

// enter signs in by a link of the operator's.
export async function enter({ visitor, run, email, language, words }) {
  const link = new URL((await run('account', 'login-link', email)).trim());
  await visitor.go((language === 'en' ? '/en/account/sign-in/link' : '/compte/connexion/lien') + link.search);
  await visitor.press(words.signIn);
}

// address is where the business is, by the ids of the fields.
const address = { adresse: 'Torstr. 1', postal: '10115', ville: 'Berlin' };

// fillIn fills in an order in Germany, with a VAT number or without, up to its total.
export async function fillIn({ visitor, words }, number = '') {
  await visitor.go(words.plan);
  await visitor.press(words.buy);
  await visitor.wants(words.unsold);
  await visitor.choose(words.country, words.germany);
  await visitor.fill(words.business, 'Werkstatt Bob');
  await visitor.fill(words.number, number);
  for (const [field, value] of Object.entries(address)) await visitor.page.locator(`#${field}`).fill(value);
  await visitor.press(words.estimate);
  await visitor.wants(number ? words.untaxed : words.total);
}

// next takes the mail whose subject says something.
export const next = ({ mail, email }, subject) => mail.next(email, subject);

// order orders, up to the way to the provider.
export async function order(self, number) {
  const { visitor, words } = self;
  await fillIn(self, number);
  await visitor.page.locator('#activite').check();
  await visitor.page.locator('#conditions').check();
  await visitor.press(words.order);
}

// buy orders, pays at the provider, comes back and waits to be told.
export async function buy(self, number) {
  await order(self, number);
  await pay(self);
  await next(self, self.words.mails.welcome);
  await next(self, self.words.mails.invoice);
}

// pay pays at the provider, and comes back to a page that says so.
export async function pay({ visitor, words, stripe }) {
  await visitor.leave(words.go, stripe.url, page => page.locator('#pay').click());
  await visitor.wants(words.done, { again: !visitor.scripted });
  await visitor.look();
}

