/** Conversations, which this browser alone keeps: their questions, answers and evidence. */

/** Of a corpus; the oldest goes when one more begins. */
const MOST_CONVERSATIONS = 30;

/**
 * The conversations of a corpus.
 *
 * @param {object} context of a view, for its `kept`.
 */
export function conversationsOf(context) {
  const listed = context.kept(`conversations.${context.corpus}`);
  const one = (id) => context.kept(`conversation.${context.corpus}.${id}`);

  function forget(id) {
    one(id).write(null);
    listed.write(all().filter((each) => each.id !== id));
  }

  /** `{id, title, at}` of each, the newest first. */
  function all() {
    return listed.read() ?? [];
  }

  return {
    all,
    forget,

    /** The turns of one: `{question, asked, answer, seconds}`. */
    turns: (id) => one(id).read() ?? [],

    /** Keeps the turns of one; false where the browser has no room, and everything is as it was. */
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
