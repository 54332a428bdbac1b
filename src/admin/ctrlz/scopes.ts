import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { json, type Route, text } from "../route.ts";
import { type Html, html, table } from "./html.ts";
import type { Topic } from "./topic.ts";

/** Loggers whose levels can be changed. */
export interface AdjustableScopes {
  readonly levels: readonly string[];
  list(): readonly ListedScope[];
  /** Returns an error as a sentence, or undefined when the level is set. */
  adjust(scope: string, level: unknown): string | undefined;
}

export interface ListedScope {
  readonly name: string;
  readonly doc: string;
  readonly level: string;
}

/** Log levels, which take effect at once. The JSON has the format of Istio. */
export function scopesTopic(scopes: AdjustableScopes): Topic {
  return {
    prefix: "scope",
    title: "Log scopes",
    doc: 'log levels per scope; PUT /scopej/SCOPE {"output_level": LEVEL} changes one',
    data: () => scopes.list().map(scopeInfo),
    body: () =>
      table(
        ["scope", "description", "level"],
        scopes.list().map((scope) => [scope.name, scope.doc, levelForm(scope, scopes.levels)]),
      ),
    submit: (fields) => void scopes.adjust(fields.get("scope") ?? "", fields.get("level")),
    more: scopes.list().map(({ name }) => scopeRoute(name, scopes)),
  };
}

function scopeInfo({ name, doc, level }: ListedScope) {
  return { name, description: doc, output_level: level };
}

function scopeRoute(name: string, scopes: AdjustableScopes): Route {
  return {
    path: `/scopej/${name}`,
    doc: `the level of ${name}; PUT changes it`,
    answer: () =>
      json(
        scopes
          .list()
          .filter((scope) => scope.name === name)
          .map(scopeInfo)[0],
      ),
    change: {
      method: "PUT",
      apply(body) {
        const problem = scopes.adjust(name, levelIn(body));
        return problem === undefined ? text("changed", 202) : text(problem, 400);
      },
    },
  };
}

function levelIn(body: string): unknown {
  const asked = parseJson(body);
  return isMapping(asked) ? asked["output_level"] : undefined;
}

function levelForm({ name, level }: ListedScope, levels: readonly string[]): Html {
  const options = levels.map((each) =>
    each === level ? html`<option selected>${each}</option>` : html`<option>${each}</option>`,
  );
  return html`<form method="post">
<input type="hidden" name="scope" value="${name}">
<label>level of ${name} <select name="level">${options}</select></label>
<button>Change</button>
</form>`;
}
