/**
 * All texts of the page, in English. Another language is another object with the same keys in `languages`.
 * Texts with values in them are functions; `many` chooses between one and several.
 */

const number = (value, digits = 0) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);

const many = (count, one, several) =>
  `${number(count)} ${new Intl.PluralRules(locale()).select(count) === "one" ? one : several}`;

const en = {
  name: "Overstory",
  again: "Try again",
  close: "Close",
  skip: "Skip to the content",
  nav: {
    label: "Views",
    ask: "Ask",
    walk: "Walk",
    keep: "Keep",
    corpus: "Corpus",
    signedInAs: (name) => `Signed in as ${name}`,
    signOut: "Sign out",
    signOutMeans: "Signs this browser out, and deletes the conversations that it keeps",
  },
  waiting: { usual: "One moment …", slow: "This takes longer than usual; it is still being worked on." },
  failed: { title: "That did not work" },
  offline: {
    title: "The service cannot be reached",
    detail: "This browser gets no answer from the service.",
    remedy: "Look whether `overstory serve` runs, and whether this machine is connected. Nothing is lost.",
    banner: "The service cannot be reached. What you see is still there; new questions have to wait.",
  },
  unknown: { title: "There is no such place", detail: "The address names no view of this page.", action: "Go to Ask" },
  noCorpora: {
    title: "There are no documents yet",
    detail: "Nothing was loaded, or your token is for none of it.",
    action: "Add documents",
    hint: "On a terminal: overstory ingest PATH, then overstory index; or overstory serve --demo for an example.",
  },
  noSuchCorpus: {
    title: (name) => `There is no corpus “${name}”`,
    detail: "It was deleted, was never there, or your token is not for it.",
  },
  signIn: {
    title: "Sign in",
    detail: "This service asks for a token. Whoever runs it makes one: overstory tokens add NAME",
    token: "Token",
    action: "Sign in",
    keeps: "It is typed once. This browser then keeps a cookie that no script can read, for 30 days at most.",
    over: "You were signed out: the session has ended, or its token was revoked.",
  },
  soon: { title: "Not built yet", detail: "This part of the page is being made." },
};

/** Texts of Walk. */
en.walk = { title: "Walk" };

/** Texts of Keep. */
en.keep = { title: "Keep" };

/** Texts of Ask, See why and of a document. */
en.ask = { title: "Ask" };

const languages = { en };

function locale() {
  return navigator.languages?.find((each) => each.split("-")[0] in languages) ?? "en";
}

/** The language of the texts, as `lang` of the page has it. */
export const language = locale().split("-")[0];
export const words = languages[language];
export { many, number };
