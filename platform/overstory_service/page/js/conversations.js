/** Conversations, saved only in this browser: questions, answers and evidence. */

/** Most conversations of a corpus. A new one replaces the oldest. */
const MOST_CONVERSATIONS = 30;

/**
 * Access to the saved conversations of a corpus.
 *
 * @param {object} context context of a view, for its `kept`.
 */
export function conversationsOf(context) {
  const listed = context.kept(`conversations.${context.corpus}`);
  const one = (id) => context.kept(`conversation.${context.corpus}.${id}`);

  function forget(id) {
    one(id).write(null);
    listed.write(all().filter((each) => each.id !== id));
  }

  /** Returns `{id, title, at}` of each conversation, newest first. */
  function all() {
    return listed.read() ?? [];
  }

  return {
    all,
    forget,

    /** Returns the turns of a conversation: `{question, asked, answer, seconds}`. */
    turns: (id) => one(id).read() ?? [],

    /** Saves the turns of a conversation. If the browser has no space, returns false and changes nothing. */
    keep: (id, turns) => {
      const before = one(id).read();
      const others = all().filter((each) => each.id !== id);
      const kept = [{ id, title: turns[0].question, at: Date.now() }, ...others.slice(0, MOST_CONVERSATIONS - 1)];
      if (!one(id).write(turns)) return false;
      if (!listed.write(kept)) {
        one(id).write(before);
        return false;
      }
      for (const each of others.slice(MOST_CONVERSATIONS - 1)) one(each.id).write(null);
      return true;
    },

    forgetAll: () => {
      for (const each of all()) one(each.id).write(null);
      listed.write(null);
    },
  };
}

export function freshConversation() {
  return Date.now().toString(36) + Math.floor(Math.random() * 46656).toString(36);
}
