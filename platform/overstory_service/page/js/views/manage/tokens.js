/** Tokens, for administrators: list, create (the secret is shown once) and revoke. */

import { get, post, remove } from "../../api.js";
import { freshId, h, replace } from "../../dom.js";
import { empty } from "../../states.js";
import { sure } from "../../sure.js";
import { moment, number, words } from "../../words.js";
import { attempt, below, removed, table } from "./parts.js";

const text = words.manage.tokens;

export async function show(context, body) {
  context.title(text.title);
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  if (!context.may("admin")) return void body.append(empty(text.title, text.readOnly));
  const [said, list] = [h("div", { "aria-live": "polite", class: "said" }), h("div", null)];
  const { tokens } = await get("/v1/tokens", {}, { signal: context.signal });
  const state = { isFirst: context.session.by === "local" };
  const first = h("p", { class: "card first", hidden: !state.isFirst || tokens.length > 0 }, text.open);
  body.append(first, making(context, state, said, list, first), said, list);
  draw(context, state, list, said, tokens);
}

async function reread(context, state, list, said) {
  draw(context, state, list, said, (await get("/v1/tokens", {}, { signal: context.signal })).tokens);
}

function draw(context, state, list, said, tokens) {
  if (!tokens.length) return void replace(list);
  replace(list, table(text.columns, tokens.map((each) => row(context, state, each, list, said)), { figures: [5] }));
}

function row(context, state, token, list, said) {
  const line = h("tr", null);
  const end = async () => {
    if (!(await attempt(below(line), () => remove(`/v1/tokens/${encodeURIComponent(token.name)}`, { signal: context.signal })))) return;
    const isLast = removed(line, text.revoked(token.name));
    if (isLast || token.own) await attempt(said, () => reread(context, state, list, said));
  };
  const isLast = () => token.own && !token.corpora.length && line.parentElement.querySelectorAll("tr:not(.row-below)").length === 1;
  const ask = () => sure(below(line), isLast() ? text.sureLast : token.own ? text.sureOwn : text.sure(token.name), end);
  return replace(
    line,
    h("th", { scope: "row" }, h("bdi", null, token.name), token.own && [" ", h("span", { class: "chip" }, text.own)]),
    h("td", null, token.rights),
    h("td", { dir: "auto" }, token.corpora.length ? token.corpora.join(", ") : text.all),
    h("td", null, token.where && h("code", { dir: "auto" }, token.where)),
    h("td", { class: "quiet moment" }, moment(token.created)),
    h("td", { class: "figure" }, number(token.sessions)),
    h("td", { class: "row-actions" }, h("button", { type: "button", class: "plain bad", "aria-label": text.revokeOf(token.name), on: { click: ask } }, text.revoke)),
  );
}

function making(context, state, said, list, first) {
  const ids = ["name", "rights", "corpora", "where"].map((each) => freshId(each));
  const name = h("input", { id: ids[0], required: true, maxlength: "64", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const rights = h(
    "select",
    { id: ids[1] },
    Object.entries(text.rights).map(([value, shown]) => h("option", { value, selected: value === (state.isFirst ? "admin" : "read") }, shown)),
  );
  const boxes = context.corpora.map((each) => h("input", { type: "checkbox", value: each.name }));
  const where = h("input", { id: ids[3], placeholder: words.manage.documents.filterExample, maxlength: "10000", spellcheck: "false", autocomplete: "off", dir: "auto" });
  const more = h(
    "div",
    { class: "token-form", hidden: state.isFirst }, // the first token has all rights
    h("div", { class: "labelled" }, h("label", { for: ids[1] }, text.right), rights),
    boxes.length > 0 &&
      h(
        "fieldset",
        { class: "checks" },
        h("legend", null, text.corpora),
        boxes.map((box) => h("label", { class: "check" }, box, " ", h("bdi", null, box.value))),
        h("p", { class: "quiet" }, text.corporaMeans),
      ),
    h("div", { class: "labelled" }, h("label", { for: ids[3] }, text.where), where, h("span", { class: "quiet" }, text.whereMeans)),
  );
  const submit = async (event) => {
    event.preventDefault();
    const asked = {
      name: name.value.trim(),
      rights: rights.value,
      corpora: boxes.filter((each) => each.checked).map((each) => each.value),
      where: where.value.trim(),
    };
    let made;
    if (!(await attempt(said, async () => (made = await post("/v1/tokens", asked, { signal: context.signal }))))) return;
    name.value = where.value = "";
    showSecret(said, made);
    await attempt(list, async () => {
      if (state.isFirst) await post("/v1/session", { token: made.secret }, { signal: context.signal });
      state.isFirst = more.hidden = false;
      first.hidden = true;
      rights.value = "read";
      await reread(context, state, list, said);
    });
  };
  return h(
    "details",
    { class: "card making", open: state.isFirst },
    h("summary", null, text.make),
    h(
      "form",
      { class: "token-form", on: { submit } },
      h("div", { class: "labelled" }, h("label", { for: ids[0] }, text.name), name),
      more,
      h("button", { class: "primary" }, text.action),
    ),
  );
}

/** Shows the secret of a new token until the user confirms that it is saved. */
function showSecret(place, { token, secret }) {
  const shown = h("input", { value: secret, readonly: true, "aria-label": text.secret(token.name), dir: "ltr", class: "secret", on: { focus: () => shown.select() } });
  const copied = h("span", { role: "status", class: "quiet" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      replace(copied, text.copied);
    } catch {
      replace(copied, text.notCopied);
      shown.select();
    }
  };
  replace(
    place,
    h(
      "section",
      { class: "card made" },
      h("h2", { dir: "auto" }, text.secret(token.name)),
      h("p", null, text.secretMeans),
      h(
        "p",
        { class: "actions" },
        shown,
        h("button", { type: "button", on: { click: copy } }, text.copy),
        h("button", { type: "button", on: { click: () => replace(place) } }, text.hide),
        copied,
      ),
    ),
  );
  shown.focus();
}
