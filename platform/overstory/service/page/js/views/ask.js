import { Problem, corpusPath, get, stream } from "../api.js";
import { conversationsOf, freshConversation } from "../conversations.js";
import { h, replace } from "../dom.js";
import { link } from "../router.js";
import { failed, waiting } from "../states.js";
import { turnOf } from "../turn.js";
import { moment, words } from "../words.js";

/** The demo corpus, as `overstory demo` loads it; its questions are those of HotpotQA. */
const DEMO_SOURCE = "examples/hotpotqa";
/** Kinds of names that are asked for in examples. */
const EXAMPLE_TYPES = { PERSON: "who", ORG: "what", WORK_OF_ART: "what", PRODUCT: "what", EVENT: "what", GPE: "what" };
const MOST_EXAMPLES = 3;
const RETRIEVERS = ["canopy", "hybrid", "dense", "lexical"];
const SYSTEMS = ["serag", "hirag", "tretriever", "slimrag", "apr"];
const PASSAGES = [3, 5, 10, 20];
/** Turns that are sent along with a question; the service reads six. */
const MOST_TURNS_SENT = 6;
/** Corpora that may be asked beside the current one, as the service has it. */
const MOST_OTHERS = 15;
/** After which a question that has no answer yet asks whether the service is still starting. */
const STARTING_MILLISECONDS = 1200;

/** Ask: questions and their answers, one conversation at a time. */
export async function view(context) {
  const conversations = conversationsOf(context);
  const conversation = { id: context.path[0] ?? freshConversation(), turns: [] };
  if (context.path[0]) conversation.turns = conversations.turns(context.path[0]);
  context.title(conversation.turns[0]?.question ?? words.ask.title);

  const listed = h("details", { class: "conversations", open: matchMedia("(min-width: 64rem)").matches });
  const turns = h("div", { class: "turns" });
  const composer = composerOf(context, ask);
  const heading = h("h1", { class: conversation.turns.length ? "spoken" : "" }, words.ask.heading);
  const welcome = h("div", { class: "welcome" }, h("p", { class: "lead" }, words.ask.lead(context.corpus)));
  const column = h("div", { class: "ask-column" }, heading, welcome, turns, composer.form);
  context.main.append(listed, column);
  drawConversations();

  const drawn = conversation.turns.map((_, at) => turnAt(at));
  turns.append(...drawn.map((each) => each.element));
  welcome.hidden = conversation.turns.length > 0;
  column.classList.toggle("is-empty", !welcome.hidden);
  await Promise.all(drawn.map((each) => each.opened));
  if (conversation.turns.length) turns.lastElementChild.scrollIntoView({ block: "start" });
  else {
    composer.text.focus({ preventScroll: true });
    examples(context, (question) => composer.fill(question)).then((found) => found && welcome.append(found), () => {});
  }

  /** A turn of the conversation; what was open in it when this entry of the history was left is open again. */
  function turnAt(at) {
    const turn = conversation.turns[at];
    context.entry.open ??= {};
    context.entry.open[at] ??= {};
    return turnOf(context, turn, {
      again: (changed) => ask({ ...turn.asked, ...changed }),
      isLast: at === conversation.turns.length - 1,
      open: context.entry.open[at],
    });
  }

  /** Asks a question: what is known of it is shown as it comes. */
  async function ask(asked) {
    welcome.hidden = true;
    heading.className = "spoken";
    column.classList.remove("is-empty");
    const stop = new AbortController();
    context.signal.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
    const turn = { question: asked.question, asked, answer: null, seconds: 0 };
    const place = h("div", { class: "turn-place" });
    const piece = h("div", { class: "answer-text is-coming", dir: "auto" });
    const stopping = h("button", { type: "button", on: { click: () => stop.abort() } }, words.ask.stop);
    const wait = waiting(words.ask.searching);
    const soon = setTimeout(() => isStarting(stop.signal).then((is) => is && replace(wait.querySelector("p"), words.ask.starting)), STARTING_MILLISECONDS);
    replace(place, h("article", { class: "turn" }, h("h2", { class: "question", dir: "auto" }, asked.question), wait, piece, stopping));
    turns.append(place);
    place.scrollIntoView({ block: "start" });
    const before = window.scrollY;
    composer.busy(true);
    context.say(words.ask.searching);
    const began = performance.now();
    try {
      turn.answer = await answerOf(asked, stop.signal, (text) => {
        wait.hidden = true;
        piece.textContent += text;
      });
      turn.seconds = (performance.now() - began) / 1000;
      conversation.turns.push(turn);
      composer.answered();
      keep();
      const shown = turnAt(conversation.turns.length - 1).element;
      place.replaceWith(shown);
      if (window.scrollY === before) shown.scrollIntoView({ block: "start" }); // unless somebody reads elsewhere by now
      context.say(words.ask.ready(turn.answer));
    } catch (error) {
      if (context.signal.aborted) return;
      const stopped = error.name === "AbortError";
      if (!stopped && !(error instanceof Problem)) throw error;
      const again = () => {
        place.remove();
        composer.fill("");
        ask(asked);
      };
      replace(
        place,
        h(
          "article",
          { class: "turn" },
          h("h2", { class: "question", dir: "auto" }, asked.question),
          stopped
            ? h("p", { class: "quiet" }, words.ask.stopped, " ", h("button", { type: "button", class: "plain", on: { click: again } }, words.again))
            : failed(error, again),
        ),
      );
      composer.fill(asked.question);
      place.scrollIntoView({ block: "nearest" });
    } finally {
      clearTimeout(soon);
      stop.abort();
      composer.busy(false);
    }
  }

  async function answerOf(asked, signal, hear) {
    const history = conversation.turns
      .slice(-MOST_TURNS_SENT)
      .map(({ answer }) => ({ question: answer.question, answer: answer.short }));
    let answer = null;
    for await (const { event, data } of stream(corpusPath(context.corpus, "ask"), { ...asked, history, stream: true }, { signal })) {
      if (event === "text") hear(data.text);
      else if (event === "answer") answer = data;
      else if (event === "problem") throw new Problem(data);
    }
    if (answer === null) throw new Problem({ title: words.failed.title, detail: words.ask.brokenOff, status: 502 });
    return answer;
  }

  /** Keeps the conversation, and gives it an address without showing it anew. */
  function keep() {
    if (!conversations.keep(conversation.id, conversation.turns)) context.say(words.ask.notKept);
    history.replaceState(history.state, "", link("ask", context.corpus, [conversation.id]));
    context.title(conversation.turns[0].question);
    drawConversations();
  }

  function drawConversations() {
    const found = conversations.all();
    listed.hidden = found.length === 0;
    replace(
      listed,
      h("summary", null, words.ask.conversations),
      h("a", { class: "button", href: link("ask", context.corpus), on: { click: fresh } }, words.ask.fresh),
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
              h("time", { class: "quiet", datetime: new Date(each.at).toISOString() }, moment(each.at)),
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
    conversations.forget(id);
    if (id === conversation.id) location.hash = link("ask", context.corpus);
    drawConversations();
  }

  /** A new conversation, also where the address is that of one already. */
  function fresh(event) {
    if (location.hash !== link("ask", context.corpus)) return;
    event.preventDefault();
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}

/** The field for a question with its options. `ask` hears the body of a request. */
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
    /** The question was answered: what stands here now is kept, if anything. */
    answered: typed,
    busy: (isBusy) => {
      send.disabled = isBusy;
      if (!isBusy) text.focus({ preventScroll: true });
    },
  };

  function submit(event) {
    event.preventDefault();
    const question = text.value.trim();
    if (!question || send.disabled) return void text.focus();
    const also = others?.chosen() ?? [];
    context.kept("options").write({ retriever: retriever.value, k: Number(k.value), style: style.value });
    context.kept(`also.${context.corpus}`).write(also.length ? also : null);
    text.value = "";
    grow();
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

  /** Keeps what is typed, so that leaving the page, or a session that ends, loses nothing. */
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

  /** The keys of metadata, for the filter: nothing that a token with a filter is told. */
  async function readKeys() {
    if (keys.childElementCount || context.session.filtered) return;
    try {
      const found = await get(corpusPath(context.corpus, "metadata"), {}, { signal: context.signal });
      replace(keys, found.keys.map((each) => h("option", { value: `${each.key} = ` })));
    } catch {
      // without suggestions the field is as good as before
    }
  }
}

/** Boxes for the other corpora, of which some may be asked, too; null where there are none. */
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

/** Whether the service still loads its models, or nobody has asked it anything since it started. */
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

/** Selects a value, which is added where the list has none like it. */
function choose(select, value) {
  if (![...select.options].some((each) => each.value === value)) select.append(h("option", { value }, value));
  select.value = value;
}

function field(id, label, ...controls) {
  return h("div", { class: "field" }, h("label", { for: id }, label), controls);
}

/** Questions that this corpus can be asked. */
async function examples(context, fill) {
  const signal = { signal: context.signal };
  const { documents } = await get(corpusPath(context.corpus, "documents"), { limit: 1 }, signal);
  if (!documents.length) return h("p", null, words.ask.nothingYet, " ", h("a", { href: link("keep", context.corpus) }, words.noCorpora.action));
  let questions = documents[0].source === DEMO_SOURCE ? words.ask.demoQuestions : null;
  if (!questions) {
    const { names } = await get(corpusPath(context.corpus, "names"), { limit: 40 }, signal);
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
