/**
 * Questions that are being answered. They go on while another conversation or view is shown, and end when they are stopped,
 * with the tab, and when somebody signs out. One that has ended is kept here until its conversation is shown, and longer where
 * the browser has no room for that: then it asks before the page is closed or loaded again.
 */

import { Problem, corpusPath, heard, stream } from "./api.js";
import { words } from "./words.js";

/** Turns that are sent along with a question; the service reads six. */
const MOST_TURNS_SENT = 6;

/** Of everybody who was signed in to this tab, one for each conversation. */
const questions = new Map();

heard.addEventListener("left", () => {
  for (const each of questions.values()) each.stop();
  questions.clear();
});

window.addEventListener("pagehide", () => {
  for (const each of questions.values()) if (!each.hasEnded) each.lost();
});

window.addEventListener("beforeunload", (event) => {
  if ([...questions.values()].some((each) => each.hasEnded && !each.isKept)) event.preventDefault();
});

const keyOf = (context, conversation) => JSON.stringify([context.session.name, context.corpus, conversation]);

/** The question of a conversation that is being answered, or whose end nobody has seen; undefined where there is none. */
export const questionOf = (context, conversation) => questions.get(keyOf(context, conversation));

/** Likewise of all conversations of a corpus, the latest first. */
export function questionsOf({ session, corpus }) {
  return [...questions.values()].filter((each) => each.by === session.name && each.corpus === corpus).reverse();
}

/** Forgets a question, and stops it. */
export function drop(context, conversation) {
  questionOf(context, conversation)?.stop();
  questions.delete(keyOf(context, conversation));
}

/**
 * Asks a question.
 *
 * @param {object} conversation `{id, turns}`; the answer becomes its last turn.
 * @param {object} asked the body of the request; `alone` leaves out the turns before it.
 * @param {(turns: object[]) => boolean} keep keeps the turns once the answer is there; false where there is no room.
 * @param {() => void} lost hears that the page is closed or loaded again before.
 * @returns {object} `{conversation, asked, at, text, problem, hasEnded, isSeen, isKept, keep(), stop()}`; `text` is what has
 *   come so far, `isSeen` whether its end was shown, and `keep` tries once more where there was no room.
 *   `onText(piece)` and `onEnd()` may be set by whoever shows it.
 */
export function begin(context, conversation, asked, { keep, lost }) {
  const stopped = new AbortController();
  const question = {
    by: context.session.name,
    corpus: context.corpus,
    conversation,
    asked,
    at: Date.now(),
    text: "",
    problem: null,
    hasEnded: false,
    isSeen: false,
    isKept: questionOf(context, conversation.id)?.isKept ?? true, // the turns before it may still have to be
    keep: () => (question.isKept = keep(conversation.turns)),
    signal: stopped.signal,
    stop: () => stopped.abort(),
    lost,
    onText: null,
    onEnd: null,
  };
  questions.set(keyOf(context, conversation.id), question);
  run(question);
  return question;
}

async function run(question) {
  const { conversation, asked } = question;
  try {
    const answer = await answerOf(question);
    const seconds = (Date.now() - question.at) / 1000;
    conversation.turns.push({ question: asked.question, asked, answer, seconds });
    question.keep();
  } catch (error) {
    question.problem = error;
    if (error.name !== "AbortError" && !(error instanceof Problem)) reportError(error);
  } finally {
    question.hasEnded = true;
    if (question.onEnd) question.onEnd();
    else if (question.problem?.name !== "AbortError") heard.dispatchEvent(new CustomEvent("answered", { detail: question }));
  }
}

async function answerOf(question) {
  const { alone = false, ...body } = question.asked;
  const turns = alone ? [] : question.conversation.turns.slice(-MOST_TURNS_SENT);
  const history = turns.map(({ answer }) => ({ question: answer.question, answer: answer.short }));
  const path = corpusPath(question.corpus, "ask");
  let answer = null;
  for await (const { event, data } of stream(path, { ...body, history, stream: true }, { signal: question.signal })) {
    if (event === "text") {
      question.text += data.text;
      question.onText?.(data.text);
    } else if (event === "answer") answer = data;
    else if (event === "problem") throw new Problem(data);
  }
  if (answer === null) throw new Problem({ title: words.failed.title, detail: words.ask.brokenOff, status: 502 });
  return answer;
}
