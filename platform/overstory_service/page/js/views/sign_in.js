import { Problem, post } from "../api.js";
import { h, replace } from "../dom.js";
import { coded, failed } from "../states.js";
import { words } from "../words.js";

/** Sign-in form. `context.entered` is called with the session. */
export async function view(context) {
  context.title(words.signIn.title);
  const problem = h("div", { "aria-live": "polite" });
  const token = h("input", {
    id: "token",
    type: "password",
    autocomplete: "current-password",
    required: true,
    spellcheck: "false",
    dir: "ltr",
  });
  const form = h(
    "form",
    { class: "sign-in", on: { submit: enter } },
    h("h1", { tabindex: "-1" }, words.signIn.title),
    h("p", null, coded(context.wasSignedIn ? words.signIn.over : words.signIn.detail)),
    h("label", { for: "token" }, words.signIn.token),
    token,
    h("button", { class: "primary" }, words.signIn.action),
    h("p", { class: "quiet" }, words.signIn.keeps),
    problem,
  );
  context.main.append(form);
  token.focus();

  async function enter(event) {
    event.preventDefault();
    try {
      const session = await post("/v1/session", { token: token.value });
      token.value = "";
      context.entered(session);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      replace(problem, failed(error));
      token.select();
    }
  }
}
