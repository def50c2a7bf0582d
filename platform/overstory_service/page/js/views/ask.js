import { Problem, corpusPath, get, heard } from "../api.js";
import { begin, drop, questionOf, questionsOf } from "../asking.js";
import { conversationsOf, freshConversation } from "../conversations.js";
import { h, replace } from "../dom.js";
import { go, link } from "../router.js";
import { failed, waiting } from "../states.js";
import { turnOf } from "../turn.js";
import { moment, words } from "../words.js";

/** Source of the demo corpus (`overstory demo`), which has its own example questions. */
const DEMO_SOURCE = "examples/hotpotqa";
/** Example question by type of entity. */
const EXAMPLE_TYPES = { PERSON: "who", ORG: "what", WORK_OF_ART: "what", PRODUCT: "what", EVENT: "what", GPE: "what" };
const MOST_EXAMPLES = 3;
const RETRIEVERS = ["canopy", "hybrid", "dense", "lexical"];
const SYSTEMS = ["serag", "hirag", "tretriever", "slimrag", "apr"];
const PASSAGES = [3, 5, 10, 20];
/** Most other corpora in a question, as in the service. */
const MOST_OTHERS = 15;
/** Milliseconds without an answer after which the page checks whether the service is still starting. */
const STARTING_MILLISECONDS = 1200;

/**
 * Ask: questions and answers, one conversation at a time. An address without a conversation opens the running question, or
 * the latest unseen answer.
 */
export async function view(context) {
  const conversations = conversationsOf(context);
  const [given] = context.path;
  const [unseen] = given || context.params.size ? [] : questionsOf(context).filter((each) => !each.isSeen);
  if (unseen) return void go(link("ask", context.corpus, [unseen.conversation.id]), { replacing: true });
  const open = given && questionOf(context, given);
  const conversation = open?.conversation ?? { id: given ?? freshConversation(), turns: given ? conversations.turns(given) : [] };
  context.title(conversation.turns[0]?.question ?? open?.asked.question ?? words.ask.title);

  const listed = h("details", { class: "conversations", open: matchMedia("(min-width: 64rem)").matches });
  const turns = h("div", { class: "turns" });
  const composer = composerOf(context, ask);
  const heading = h("h1", null, words.ask.heading);
  const welcome = h("p", { class: "lead" }, words.ask.lead(context.corpus));
  const column = h("div", { class: "ask-column is-empty" }, heading, welcome, turns, composer.form);
  context.main.append(listed, column);
  drawConversations();
  heard.addEventListener("answered", drawConversations, { signal: context.signal });

  const drawn = conversation.turns.map((_, at) => turnAt(at));
  turns.append(...drawn.map((each) => each.element));
  const noRoom = h("div", { class: "no-room" });
  turns.after(noRoom);
  if (drawn.length) isUsed();
  if (open && (!open.hasEnded || open.problem)) follow(open);
  else if (open) seen(open);
  await Promise.all(drawn.map((each) => each.opened));
  if (turns.childElementCount) turns.lastElementChild.scrollIntoView({ block: "start" });
  else {
    composer.text.focus({ preventScroll: true });
    examples(context, composer.fill).then((found) => found && column.classList.contains("is-empty") && column.append(found), () => {});
  }

  /** Removes the welcome text once the conversation has started. */
  function isUsed() {
    welcome.hidden = true;
    heading.className = "spoken";
    column.classList.remove("is-empty");
    column.querySelector(".examples")?.remove();
  }

  /** Forgets a question whose end was shown. If the conversation cannot be saved, shows a warning instead. */
  function seen(question) {
    question.isSeen = true;
    if (question.isKept || question.keep()) {
      drop(context, conversation.id);
      return void replace(noRoom);
    }
    const again = () => {
      if (question.keep()) seen(question);
      else context.say(words.ask.notKept);
      drawConversations();
    };
    const said = h("p", null, words.ask.notKept, " ", words.ask.notKeptMeans);
    replace(noRoom, h("div", { class: "warning", role: "status" }, said, h("button", { type: "button", on: { click: again } }, words.ask.keepNow)));
  }

  /** Draws a turn, with the parts expanded that were expanded in this history entry. */
  function turnAt(at) {
    const turn = conversation.turns[at];
    context.entry.open ??= {};
    context.entry.open[at] ??= {};
    return turnOf(context, turn, {
      again: (changed) => ask({ ...turn.asked, ...changed }),
      change: composer.fill,
      isLast: at === conversation.turns.length - 1,
      open: context.entry.open[at],
    });
  }

  /** Asks a question. The conversation then has an address and is listed. */
  function ask(asked) {
    if (composer.isBusy()) return;
    const keep = (all) => conversations.keep(conversation.id, all);
    const place = follow(begin(context, conversation, asked, { keep, lost: () => composer.keepDraft(asked.question) }));
    history.replaceState(history.state, "", link("ask", context.corpus, [conversation.id]));
    context.title(conversation.turns[0]?.question ?? asked.question);
    drawConversations();
    place.scrollIntoView({ block: "start" });
    context.say(words.ask.searching);
  }

  /** Shows a running question, its text as it arrives, and its end. */
  function follow(question) {
    const { asked } = question;
    isUsed();
    const place = h("div", { class: "turn-place" });
    const piece = h("div", { class: "answer-text is-coming", dir: "auto" }, question.text);
    const stopping = h("button", { type: "button", on: { click: question.stop } }, words.ask.stop);
    const wait = waiting(words.ask.searching);
    wait.hidden = Boolean(question.text);
    const soon = setTimeout(
      () => isStarting(context.signal).then((is) => is && replace(wait.querySelector("p"), words.ask.starting)),
      STARTING_MILLISECONDS,
    );
    replace(place, h("article", { class: "turn" }, h("h2", { class: "question", dir: "auto" }, asked.question), wait, piece, stopping));
    turns.append(place);
    composer.busy(true);
    let before = null;
    requestAnimationFrame(() => (before = window.scrollY)); // after scrolling
    context.signal.addEventListener("abort", () => {
      clearTimeout(soon);
      question.onText = question.onEnd = null;
    });
    question.onText = (text) => {
      wait.hidden = true;
      piece.textContent += text;
    };
    question.onEnd = () => {
      clearTimeout(soon);
      const isAt = document.activeElement === document.body || place.contains(document.activeElement);
      composer.busy(false);
      if (question.problem) failedAt(place, question);
      else {
        const shown = turnAt(conversation.turns.length - 1).element;
        place.replaceWith(shown);
        if (before === null || window.scrollY === before) shown.scrollIntoView({ block: "start" }); // do not scroll if the reader has scrolled
        context.say(question.isKept ? words.ask.ready(conversation.turns.at(-1).answer) : words.ask.notKept);
      }
      seen(question);
      drawConversations();
      if (isAt) composer.text.focus({ preventScroll: true });
    };
    if (question.hasEnded) question.onEnd();
    return place;
  }

  /** Shows a question that was stopped or failed, and puts it back into the field if that is empty. */
  function failedAt(place, { asked, problem }) {
    const again = () => {
      if (composer.isBusy()) return;
      place.remove();
      if (composer.text.value === asked.question) composer.fill("");
      ask(asked);
    };
    replace(
      place,
      h(
        "article",
        { class: "turn" },
        h("h2", { class: "question", dir: "auto" }, asked.question),
        problem.name === "AbortError"
          ? h("p", { class: "quiet" }, words.ask.stopped, " ", h("button", { type: "button", class: "plain", on: { click: again } }, words.again))
          : failed(problem, again),
      ),
    );
    if (!composer.text.value.trim()) composer.fill(asked.question);
    place.scrollIntoView({ block: "nearest" });
  }

  function drawConversations() {
    const kept = conversations.all();
    const asked = questionsOf(context);
    const begun = asked
      .filter(({ conversation: { id } }) => !kept.some((each) => each.id === id))
      .map((each) => ({ id: each.conversation.id, title: each.asked.question, at: each.at }));
    const found = [...begun, ...kept];
    const stateOf = (id) => {
      const question = asked.find((each) => each.conversation.id === id);
      if (!question) return null;
      if (!question.hasEnded) return words.ask.running;
      return question.problem ? words.ask.unanswered : question.isKept ? words.ask.unseen : words.ask.unkept;
    };
    listed.hidden = found.length === 0;
    replace(
      listed,
      h("summary", null, words.ask.conversations),
      h("a", { class: "button", href: link("ask", context.corpus, [freshConversation()]) }, words.ask.fresh),
      h(
        "ul",
        null,
        found.map((each) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: link("ask", context.corpus, [each.id]), dir: "auto", "aria-current": each.id === conversation.id ? "true" : null },
              each.title,
              h("time", { class: "quiet", datetime: new Date(each.at).toISOString() }, stateOf(each.id) ?? moment(each.at)),
            ),
            h(
              "button",
              {
                type: "button",
                class: "plain",
                "aria-label": words.ask.forget(each.title, moment(each.at)),
                title: words.ask.forget(each.title),
                on: { click: () => forget(each.id) },
              },
              "×",
            ),
          ),
        ),
      ),
      h("p", { class: "quiet" }, words.ask.keptHere),
    );
  }

  function forget(id) {
    drop(context, id);
    conversations.forget(id);
    if (id === conversation.id) location.hash = link("ask", context.corpus);
    drawConversations();
  }
}

/** The input field for a question, with options. `ask` is called with the body of the request. */
function composerOf(context, ask) {
  const { params } = context;
  const kept = context.kept("options").read() ?? {};
  const draft = context.kept(`draft.${context.corpus}`);
  const text = h("textarea", {
    id: "question",
    rows: 1,
    dir: "auto",
    maxlength: 10000,
    placeholder: words.ask.placeholder,
    "aria-label": words.ask.label,
    enterkeyhint: "send",
    on: { input: typed, keydown: sendOnEnter },
  });
  text.value = params.get("q") ?? draft.read() ?? "";
  const send = h("button", { class: "primary" }, words.ask.action);
  const keys = h("datalist", { id: "metadata-keys" });
  const where = h("input", {
    id: "where",
    list: "metadata-keys",
    dir: "auto",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: words.ask.filterExample,
    value: params.get("where") ?? "",
    "aria-describedby": "where-means",
  });
  const retriever = h(
    "select",
    { id: "retriever", "aria-describedby": "retriever-means", on: { change: explain } },
    h("optgroup", { label: words.ask.builtIn }, options(RETRIEVERS, (name) => words.ask.retrievers[name] ?? name)),
    h("optgroup", { label: words.ask.systems }, options(SYSTEMS, (name) => words.ask.retrievers[name] ?? name)),
  );
  choose(retriever, params.get("retriever") ?? kept.retriever ?? RETRIEVERS[0]);
  const k = h("select", { id: "k" }, options(PASSAGES, (count) => words.ask.passages(count)));
  choose(k, params.get("k") ?? String(kept.k ?? 5));
  const style = h("select", { id: "style" }, ["", "short", "report"].map((name) => h("option", { value: name }, words.ask.styles[name])));
  choose(style, kept.style ?? "");
  const explained = h("p", { id: "retriever-means", class: "quiet" });
  const others = otherCorpora(context, params.has("also") ? params.getAll("also") : (context.kept(`also.${context.corpus}`).read() ?? []));
  const isChanged = Boolean(where.value) || retriever.value !== RETRIEVERS[0] || others?.chosen().length > 0;
  const form = h(
    "form",
    { class: "composer", on: { submit } },
    h("div", { class: "composer-line" }, text, send),
    h(
      "details",
      { class: "options", open: isChanged, on: { toggle: readKeys } },
      h("summary", null, words.ask.options),
      h(
        "div",
        { class: "options-grid" },
        field("where", words.ask.filter, where, h("p", { id: "where-means", class: "quiet" }, words.ask.filterMeans)),
        field("retriever", words.ask.retriever, retriever, explained),
        field("k", words.ask.k, k),
        field("style", words.ask.style, style),
        others?.element,
      ),
      keys,
    ),
  );
  explain();
  requestAnimationFrame(grow);
  return {
    form,
    text,
    fill: (question) => {
      text.value = question;
      typed();
      text.focus();
    },
    isBusy: () => send.disabled,
    busy: (isBusy) => (send.disabled = isBusy),
    /** Saves a lost question for the next visit, unless something else was typed. */
    keepDraft: (question) => draft.read() ?? draft.write(question),
  };

  function submit(event) {
    event.preventDefault();
    const question = text.value.trim();
    if (!question || send.disabled) return void text.focus();
    const also = others?.chosen() ?? [];
    context.kept("options").write({ retriever: retriever.value, k: Number(k.value), style: style.value });
    context.kept(`also.${context.corpus}`).write(also.length ? also : null);
    text.value = "";
    typed();
    ask({
      question,
      k: Number(k.value),
      retriever: retriever.value,
      where: where.value.trim() || null,
      style: style.value || null,
      also,
    });
  }

  function sendOnEnter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  }

  /** Saves the typed text, in case the user leaves the page or the session ends. */
  function typed() {
    draft.write(text.value || null);
    grow();
  }

  function grow() {
    text.style.setProperty("block-size", "auto");
    text.style.setProperty("block-size", `${text.scrollHeight + 2}px`);
  }

  function explain() {
    replace(explained, words.ask.retrieverMeans[retriever.value] ?? "");
  }

  /** Suggests metadata keys for the filter. Tokens with a filter may not list them. */
  async function readKeys() {
    if (keys.childElementCount || context.session.filtered) return;
    try {
      const found = await get(corpusPath(context.corpus, "metadata"), {}, { signal: context.signal });
      replace(keys, found.keys.map((each) => h("option", { value: `${each.key} = ` })));
    } catch {
      // suggestions are optional
    }
  }
}

/** Checkboxes for other corpora, or null if there are none. */
function otherCorpora(context, chosen) {
  const names = context.corpora.map((each) => each.name).filter((name) => name !== context.corpus);
  if (!names.length) return null;
  const boxes = names.map((value) => h("input", { type: "checkbox", value, checked: chosen.includes(value), on: { change: limit } }));
  const element = h(
    "fieldset",
    { class: "checks others" },
    h("legend", null, words.ask.also),
    h("p", { class: "quiet" }, words.ask.alsoMeans),
    boxes.map((box) => h("label", { class: "check", dir: "auto" }, box, ` ${box.value}`)),
  );
  limit();
  return { element, chosen: () => boxes.filter((box) => box.checked).map((box) => box.value) };

  function limit() {
    const isFull = boxes.filter((box) => box.checked).length >= MOST_OTHERS;
    for (const box of boxes) box.disabled = isFull && !box.checked;
  }
}

/** Returns true while the service is loading models or has not answered a question since its start. */
async function isStarting(signal) {
  try {
    return !(await get("/readyz", {}, { signal })).asked;
  } catch (error) {
    return error instanceof Problem && error.status === 503;
  }
}

function options(values, text) {
  return values.map((value) => h("option", { value: String(value) }, text(value)));
}

/** Selects a value, and adds it if the list does not have it. */
function choose(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.append(h("option", { value }, value));
  select.value = value;
}

function field(id, label, ...controls) {
  return h("div", { class: "field" }, h("label", { for: id }, label), controls);
}

/** Example questions for this corpus. */
async function examples(context, fill) {
  const signal = { signal: context.signal };
  const { documents } = await get(corpusPath(context.corpus, "documents"), { limit: 1 }, signal);
  if (!documents.length) return h("p", { class: "examples" }, words.ask.nothingYet, " ", h("a", { href: link("manage", context.corpus) }, words.noCorpora.action));
  let questions = documents[0].source === DEMO_SOURCE ? words.ask.demoQuestions : null;
  if (!questions) {
    const { entities: names } = await get(corpusPath(context.corpus, "entities"), { limit: 40 }, signal);
    questions = names
      .filter((each) => EXAMPLE_TYPES[each.type])
      .slice(0, MOST_EXAMPLES)
      .map((each) => words.ask.about[EXAMPLE_TYPES[each.type]](each.name));
  }
  if (!questions.length) return null;
  return h(
    "div",
    { class: "examples" },
    h("p", { class: "quiet", id: "examples" }, words.ask.examples),
    h(
      "ul",
      { "aria-labelledby": "examples" },
      questions.map((each) => h("li", null, h("button", { type: "button", dir: "auto", on: { click: () => fill(each) } }, each))),
    ),
  );
}
