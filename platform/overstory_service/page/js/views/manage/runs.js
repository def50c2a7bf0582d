/** Index of a corpus: contents, pending work, stages, models and their cost. */

import { corpusPath, get, post } from "../../api.js";
import { h, replace, replaceFocused } from "../../dom.js";
import { empty, waiting } from "../../states.js";
import { moment, number, words } from "../../words.js";
import { followed, unfinished } from "./job.js";
import { attempt, table } from "./parts.js";

const text = words.manage.runs;

export async function show(context, body) {
  const { corpus, signal } = context;
  context.title(text.title);
  body.append(h("h1", { tabindex: "-1" }, text.title), h("p", { class: "lead" }, text.lead));
  if (context.session.filtered) return void body.append(empty(text.title, text.readOnly));
  const parts = h("div", { class: "runs" });
  const job = h("div", { class: "run-job", "aria-live": "polite" });
  body.append(job, parts);
  replace(parts, waiting());
  const draw = async () => {
    const asked = [get(corpusPath(corpus), { sizes: true }, { signal })];
    if (context.may("write")) asked.push(get(corpusPath(corpus, "models"), {}, { signal }));
    const [status, models] = await Promise.all(asked);
    replaceFocused(parts, pendingPart(context, status, job, draw), countsPart(status), stagesPart(status), models && modelsPart(models));
  };
  const running = unfinished(context, { corpus, ended: draw }).then((jobs) => job.childElementCount || replace(job, jobs));
  await Promise.all([running, draw()]);
}

function pendingPart(context, status, place, draw) {
  const behind = Object.entries(status.pending).filter(([, count]) => count);
  const systems = Object.entries(text.systemNames).map(([value, shown]) => {
    const box = h("input", { type: "checkbox", value });
    return { box, element: h("label", { class: "check" }, box, ` ${shown}`) };
  });
  const button = h("button", { type: "button", class: behind.length ? "primary" : null, on: { click: start } }, text.now);
  return h(
    "section",
    { class: "card" },
    h("h2", null, behind.length ? text.pending : text.current),
    behind.length > 0 && h("ul", null, behind.map(([stage, count]) => h("li", null, text.pendingOf(stage, count)))),
    status.index_time && h("p", { class: "quiet" }, text.time(status.index_time.seconds)),
    status.writer && h("p", { class: "quiet" }, text.writer(status.writer)),
    context.may("write") && [
      h(
        "details",
        null,
        h("summary", null, text.systems),
        h("fieldset", { class: "checks" }, h("legend", { class: "quiet" }, text.systemsMeans), systems.map((each) => each.element)),
      ),
      h("p", null, button),
    ],
  );

  async function start() {
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    const wanted = systems.filter((each) => each.box.checked).map((each) => each.box.value);
    await attempt(place, async () => {
      const queued = await post(corpusPath(context.corpus, "index"), wanted.length ? { systems: wanted } : {}, { signal: context.signal });
      replace(place, followed(context, queued, draw));
    });
    button.ariaDisabled = null;
  }
}

function countsPart(status) {
  const shown = Object.entries(status.counts).filter(([name, count]) => name in text.counts && (count || name === "documents"));
  return h(
    "section",
    null,
    h("h2", null, text.holds),
    h("dl", { class: "figures" }, shown.map(([name, count]) => h("div", null, h("dt", null, text.counts[name]), h("dd", null, number(count))))),
  );
}

function stagesPart(status) {
  if (!status.stages.length) return null;
  const counts = (stage) => Object.entries(stage.counts).filter(([, count]) => count).map(([name, count]) => `${name.replaceAll("_", " ")} ${number(count)}`).join(", ");
  const rows = status.stages.map((stage) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, text.stageNames[stage.name], " ", h("span", { class: text.stageNames[stage.name] ? "quiet" : null }, stage.name)),
      h("td", null, text.states[stage.status] ?? stage.status),
      h("td", { class: "quiet moment" }, moment(stage.finished ?? stage.started)),
      h("td", { class: "figure" }, number(stage.seconds, 1)),
      h("td", { class: "figure" }, stage.tokens ? number(stage.tokens) : "–"),
      h("td", { class: "quiet" }, counts(stage)),
    ),
  );
  return h("section", null, h("h2", null, text.stages), table(text.columns, rows, { figures: [3, 4] }));
}

function modelsPart({ embedder, language_model: language, input_price: input, output_price: output, usage }) {
  const used = Object.entries(usage);
  const rows = used.map(([stage, spent]) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, stage),
      [spent.requests, spent.remembered, spent.usage.prompt_tokens, spent.usage.completion_tokens].map((each) => h("td", { class: "figure" }, number(each))),
      h("td", { class: "figure" }, input || output ? number(spent.cost, 4) : "–"),
    ),
  );
  return h(
    "section",
    null,
    h("h2", null, text.models),
    h(
      "dl",
      { class: "figures" },
      h("div", null, h("dt", null, text.embedder), h("dd", { dir: "auto" }, embedder || "–")),
      h("div", null, h("dt", null, text.language), h("dd", { dir: "auto" }, language || text.noLanguage)),
    ),
    language && h("p", { class: "quiet" }, input || output ? text.price(input, output) : text.noPrice),
    language && (used.length ? table(text.usageColumns, rows, { caption: text.used, figures: [1, 2, 3, 4, 5] }) : h("p", { class: "quiet" }, text.unused)),
  );
}
