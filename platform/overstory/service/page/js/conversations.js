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

    /** Keeps the turns of one; false where the browser has no room, even without the others. */
    keep: (id, turns) => {
      const others = all().filter((each) => each.id !== id);
      for (const each of others.splice(MOST_CONVERSATIONS - 1)) one(each.id).write(null);
      while (!one(id).write(turns)) {
        const oldest = others.pop();
        if (!oldest) return false;
        one(oldest.id).write(null);
      }
      return listed.write([{ id, title: turns[0].question, at: Date.now() }, ...others]);
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
