/**
 * Relations in readable form. The index stores lemmas, such as "be president of". The verb is shown as in the sentence, "was
 * president of", with auxiliaries and negations ("may be", "did not win"). If the sentence does not contain the verb, as in
 * "Ada, president of Israel, …", the relation is shown without it: "president of".
 */

const BE = new Set(["be", "am", "is", "are", "was", "were", "been", "being"]);
const AUXILIARIES = new Set(
  "has have had having do does did will would shall should can could may might must be am is are was were been being".split(" "),
);
const HAVING = new Set(["has", "have", "had", "having"]);
const ADVERB = /^(?:\p{L}+ly|also|first|once|later|since|often|now|then|still|only|ever|even)$/u;
/** Most words after "is" among which its complement must occur. */
const BEING_WORDS = 8;
const PARTICIPLE_WORDS = 3;
const NOT = /^(?:not|never|cannot|\p{L}+n['’]t)$/u;
/** Irregular forms of verbs, except those with -s and -ing. */
const IRREGULAR = Object.fromEntries(
  (
    "have has had; bear bore born borne; do does did done; go goes went gone; become became; begin began begun; beat beaten; bring brought; " +
    "break broke broken; build built; buy bought; catch caught; choose chose chosen; come came; draw drew drawn; drive drove driven; fall fell fallen; " +
    "feel felt; fight fought; find found; fly flew flown; forbid forbade forbidden; get got gotten; give gave given; grow grew grown; hear heard; " +
    "hide hid hidden; hold held; keep kept; know knew known; lay laid; lead led; leave left; lend lent; lie lay lain lying; lose lost; make made; " +
    "mean meant; meet met; oversee oversaw overseen; overtake overtook overtaken; pay paid; ride rode ridden; rise rose risen; run ran; say said; " +
    "see saw seen; seek sought; sell sold; send sent; shoot shot; show shown; sing sang sung; sit sat; speak spoke spoken; spend spent; stand stood; " +
    "steal stole stolen; strike struck; swim swam swum; take took taken; teach taught; tell told; think thought; throw threw thrown; " +
    "undergo underwent undergone; understand understood; win won; withdraw withdrew withdrawn; write wrote written"
  )
    .split("; ")
    .map((line) => [line.split(" ")[0], new Set(line.split(" "))]),
);

const isForm = (word, verb) => (verb === "be" ? BE.has(word.replace(/n['’]t$/, "")) : Boolean(IRREGULAR[verb]?.has(word)) || isRegular(word, verb));

function isRegular(word, verb) {
  if (word === verb) return true;
  const ending = /(?:s|es|d|ed|ing)$/.exec(word)?.[0];
  if (!ending) return false;
  const last = verb.at(-1);
  const stems = [verb, verb + last]; // admit, admitted
  if (last === "e") stems.push(verb.slice(0, -1));
  if (last === "y") stems.push(`${verb.slice(0, -1)}i`);
  return stems.some((stem) => ["s", "es", "d", "ed", "ing"].some((each) => stem + each === word));
}

/**
 * Returns a relation in readable form.
 *
 * @param {string} predicate relation as stored in the index.
 * @param {string} sentence sentence that states the relation, or "".
 * @param {string} subject subject of the relation: the verb is searched after it first.
 */
export function relationText(predicate, sentence = "", subject = "") {
  const [first, ...others] = predicate.split(" ");
  const isNegated = first === "not";
  const [verb, ...rest] = isNegated ? others : [first, ...others];
  if (!verb) return predicate;
  const found = said(verb, rest, sentence, subject, isNegated);
  if (found) return [...found, ...rest].join(" ");
  if (verb === "be" && !rest.length) return isNegated ? "is not" : "is";
  return [...(isNegated ? ["not"] : []), ...(verb === "be" ? [] : [verb]), ...rest].join(" ");
}

/** Returns the verb as it occurs in a sentence, with its auxiliaries and particles, or null. */
function said(verb, rest, sentence, subject, isNegated) {
  const words = [...sentence.matchAll(/[\p{L}\p{N}'’-]+|[^\s\p{L}\p{N}]/gu)];
  const lower = words.map(([word]) => word.toLowerCase());
  const at = subject ? sentence.indexOf(subject) : -1;
  const end = at < 0 ? 0 : at + subject.length;
  const places = words.map((_, place) => place).filter((place) => isForm(lower[place], verb));
  const behind = places.filter((place) => words[place].index >= end);
  for (const place of [...behind, ...places]) {
    const { before, first } = belonging(lower, place);
    const isNot = verb === "be" && NOT.test(lower[place + 1] ?? "");
    const shown = [...before, lower[place], ...(isNot ? [lower[place + 1]] : [])];
    if (lower[first - 1] === "to" || shown.some((word) => NOT.test(word)) !== isNegated) continue;
    if (verb === "be" ? isOtherBeing(lower, place, before, rest) : isPassive(before, lower[place])) continue;
    return shown;
  }
  return null;
}

/** Returns the auxiliaries and "not" before a verb, also across an adverb, and their start. */
function belonging(lower, place) {
  const before = [];
  let first = place;
  const isOne = (word) => AUXILIARIES.has(word) || NOT.test(word ?? "");
  for (;;) {
    const step = isOne(lower[first - 1]) ? 1 : ADVERB.test(lower[first - 1] ?? "") && isOne(lower[first - 2]) ? 2 : 0;
    if (!step) return { before, first };
    first -= step;
    before.unshift(lower[first]);
  }
}

/** Returns true if "is" belongs to a different relation: the complement must follow, a participle immediately. */
function isOtherBeing(lower, place, before, [what]) {
  if (["be", "been", "being"].includes(lower[place]) && !before.length) return true;
  if (!what) return false;
  const isParticiple = what.endsWith("ed") || Object.values(IRREGULAR).some((forms) => forms.has(what));
  return !lower.slice(place + 1, place + 1 + (isParticiple ? PARTICIPLE_WORDS : BEING_WORDS)).some((word) => word.startsWith(what));
}

const isPassive = (before, word) => before.length > 0 && before.every((each) => BE.has(each) || HAVING.has(each)) && BE.has(before.at(-1)) && !word.endsWith("ing");
