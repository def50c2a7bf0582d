/**
 * Running questions. They continue while another conversation or view is shown, and end when they are stopped, when the tab
 * is closed and when the user signs out. Ended questions are kept here until their conversation is shown, or, if the browser
 * has no space to save the answer, until the user has confirmed that the page may be closed.
 */

import { Problem, corpusPath, heard, stream } from "./api.js";
import { words } from "./words.js";

/** Earlier turns sent with a question; the service uses six. */
const MOST_TURNS_SENT = 6;

/** Questions of all users that were signed in to this tab, one for each conversation. */
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

/** Returns the running or unseen question of a conversation, or undefined. */
export const questionOf = (context, conversation) => questions.get(keyOf(context, conversation));

/** Returns the running and unseen questions of a corpus, newest first. */
export function questionsOf({ session, corpus }) {
  return [...questions.values()].filter((each) => each.by === session.name && each.corpus === corpus).reverse();
}

/** Stops and forgets a question. */
export function drop(context, conversation) {
  questionOf(context, conversation)?.stop();
  questions.delete(keyOf(context, conversation));
}

/**
 * Asks a question.
 *
 * @param {object} conversation `{id, turns}`; the answer is added as its last turn.
 * @param {object} asked body of the request; with `alone`, earlier turns are not sent.
 * @param {(turns: object[]) => boolean} keep saves the turns with the answer; returns false if there is no space.
 * @param {() => void} lost called before the page is closed or reloaded while the question is running.
 * @returns {object} `{conversation, asked, at, text, problem, hasEnded, isSeen, isKept, keep(), stop()}`; `text` is the
 *   text received so far, `isSeen` is true once its end was shown, and `keep` tries again to save the turns.
 *   The view that shows the question may set `onText(piece)` and `onEnd()`.
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
    isKept: questionOf(context, conversation.id)?.isKept ?? true, // earlier turns may still be unsaved
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
