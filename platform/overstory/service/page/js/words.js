/**
 * All texts of the page, in English. Another language is another object with the same keys in `languages`.
 * Texts with values in them are functions; `many` chooses between one and several.
 */

const number = (value, digits = 0) =>
  new Intl.NumberFormat(locale(), { maximumFractionDigits: digits, minimumFractionDigits: 0 }).format(value);

const many = (count, one, several) =>
  `${number(count)} ${new Intl.PluralRules(locale()).select(count) === "one" ? one : several}`;

const percent = (share) => new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(share);

const en = {
  name: "Overstory",
  percent,
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
    hint: "On a terminal: `overstory ingest PATH`, then `overstory index`; or `overstory serve --demo` for an example.",
  },
  noSuchCorpus: {
    title: (name) => `There is no corpus “${name}”`,
    detail: "It was deleted, was never there, or your token is not for it.",
  },
  signIn: {
    title: "Sign in",
    detail: "This service asks for a token. Whoever runs it makes one: `overstory tokens add NAME`",
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

/** Texts of Ask. */
en.ask = {
  title: "Ask",
  heading: "What do you want to know?",
  lead: (corpus) => `Answers come from the documents of “${corpus}” alone, with the sentences that they stand on.`,
  label: "Question",
  placeholder: "Ask a question …",
  action: "Ask",
  stop: "Stop",
  stopped: "Stopped.",
  options: "Filter and search",
  filter: "Only documents where",
  filterExample: "team = 'legal' AND year >= 2020",
  filterMeans: "A filter on the metadata of documents. Keep shows which keys there are.",
  retriever: "Search by",
  builtIn: "For every corpus",
  systems: "With an index of their own",
  retrievers: {
    canopy: "Names and links (canopy)",
    hybrid: "Meaning and words (hybrid)",
    dense: "Meaning (dense)",
    lexical: "Words (lexical)",
    serag: "SeRAG",
    hirag: "HiRAG",
    tretriever: "T-Retriever",
    slimrag: "SlimRAG",
    apr: "AutoPrunedRetriever",
  },
  retrieverMeans: {
    canopy: "Follows names from the question through passages to others.",
    hybrid: "Nearest in meaning, and with the same words.",
    dense: "Nearest in meaning.",
    lexical: "With the words of the question, as for error codes.",
    serag: "Passages of communities; needs overstory index --system serag.",
    hirag: "Reports, relations and passages; needs overstory index --system hirag.",
    tretriever: "Subgraphs and their summaries; needs overstory index --system tretriever.",
    slimrag: "Sentences by their names; needs overstory index --system slimrag.",
    apr: "Triples, and answers that it remembers; needs overstory index --system apr.",
  },
  k: "Passages",
  passages: (count) => many(count, "passage", "passages"),
  style: "Answer",
  styles: { "": "As the question asks", short: "Short", report: "As a report" },
  searching: "Looking for passages …",
  ready: (answer) => (answer.answered === false || answer.state !== "answered" ? en.ask.states[answer.state] : "The answer is there."),
  brokenOff: "The answer broke off before its end.",
  examples: "For example",
  about: { who: (name) => `Who is ${name}?`, what: (name) => `What is said of ${name}?` },
  demoQuestions: [
    "In what year was the man that resigned as the president of Israel before the Israeli presidential election, 2000 born?",
    "Are Watertown International Airport and Alexandria International Airport both airports in the same state?",
    "What is the salary of Ezer Weizman?",
  ],
  nothingYet: "This corpus has no documents yet.",
  conversations: "Conversations",
  fresh: "New conversation",
  forget: (title) => `Delete the conversation “${title}”`,
  keptHere: "Kept in this browser alone, until you delete them or sign out.",
  notKept: "This browser has no room to keep the conversation.",
  askedAs: (question) => `Asked as: ${question}`,
  perhaps: "Perhaps:",
  citation: (number, title) => `Source ${number}: ${title}`,
  sources: "Sources",
  nearest: "The nearest in the documents",
  states: {
    answered: "Answered",
    uncited: "Without a source",
    not_in_documents: "Not in these documents",
    nothing_found: "Nothing was found",
    nothing_read: "No passage was read",
  },
  uncited: "The language model named no passage for this. Nothing says what it rests on.",
  notThereMeans: "This is said of what was found. More passages, or another search, may find more.",
  nothingMeans: "Ask in other words, or leave out the filter.",
  unsupported: (names) => `In no cited passage: ${names.join(", ")}. Look at the sources before you rely on it.`,
  remembered: "What was remembered",
  alsoFound: (count) => `Also found: ${many(count, "report or relation", "reports and relations")}`,
  moreParts: (count) => `… and ${number(count)} more`,
  moreLines: (count) => `… and ${many(count, "more line", "more lines")}`,
  kinds: { report: "Report", relation: "Relation", entity: "Name", subgraph: "Subgraph", answer: "Remembered" },
  standsOn: "Stands on:",
  onPassages: (count) => many(count, "passage", "passages"),
  took: (seconds) => `${number(seconds, seconds < 10 ? 1 : 0)} s`,
  writtenBy: (model) => `written by ${model || "a language model"}`,
  extractive: "sentences of the documents, no language model",
  tokens: (read, written, estimated) => `${estimated ? "about " : ""}${many(read, "token", "tokens")} read, ${number(written)} written`,
  waited: (seconds) => `${number(seconds, 1)} s for the model`,
  fromCache: (count) => `${many(count, "answer", "answers")} from the cache, at no cost`,
  cost: (cost) => `cost ${number(cost, 6)}`,
  confidence: (share) => `confidence ${percent(share)}`,
  foundBy: (retriever, count) => `${many(count, "passage", "passages")} by ${retriever}`,
  filteredBy: (where) => `only where ${where}`,
  copy: "Copy",
  copied: "Copied",
  notCopied: "This browser does not let it be copied",
  repeat: "Ask again",
  askMore: (count) => `Look in ${number(count)} passages`,
  linkToQuestion: "Link to this question",
};

/** Texts of See why. */
en.why = {
  open: "See why",
  close: "Hide why",
  title: "Why these passages",
  lead: "From the question, by names, to each passage: the sentences are those that led there.",
  drawing: "How the question led to the passages",
  question: "The question",
  asked: "named in the question",
  meaning: "near in meaning",
  kinds: {
    about: "which the next passage is about",
    mentions: "which the next passage names, too",
    link: "a link between the documents",
    "link back": "a link back between the documents",
  },
  rank: "Rank ",
  /** By the kinds of reasons that retrievers give; others are shown as they are. */
  reasons: {
    dense: "meaning",
    words: "words",
    lexical: "words",
    name: "name in the question",
    rest: "rest of the question",
    forward: "a name led here",
    shared: "shared names",
    linked: "a link led here",
    direct: "names, only later",
    second: "over two names",
    linked_second: "over two links",
    central: "stands for many",
    beside: "new beside the others",
    community: "community",
    set: "set of the tree",
    edge: "relation",
    path: "bridge",
    report: "report",
    entities: "names",
    relations: "relations",
    facts: "facts",
    filled: "filled up",
    rank: "rank",
    retrieved: "search",
    rerank: "reranker",
  },
  table: "The same as a table, with all ways and figures",
  caption: (retriever) => `All ways to each passage, and the share of each reason in its score (${retriever}).`,
  columns: ["Rank", "Passage", "How it was reached, with the sentences", "Share of each reason"],
  way: (names) => names.join(" → "),
};

/** Texts of a document. */
en.source = {
  label: "Document",
  untitled: "Without a title",
  page: (page) => `Page ${number(page)}`,
  metadata: "Metadata",
  before: "Show what comes before",
  after: "Show what comes after",
  open: "Open the document, and link to this place",
  ask: "Ask a question",
  disabled: "This document is disabled: it is left out of everything that is found.",
  markedQuoted: "Marked: the sentences that the answer quotes.",
  markedStated: "Marked: the sentence that says most of what the answer states there.",
  markedNear: "Marked: the sentence with most words of the question.",
};

const languages = { en };

function locale() {
  return navigator.languages?.find((each) => each.split("-")[0] in languages) ?? "en";
}

/** The language of the texts, as `lang` of the page has it. */
export const language = locale().split("-")[0];
export const words = languages[language];
export { many, number };
