import type { ExplainRequest } from "../../../src/desk/api/model/explain.ts";

/** The fields of the form, as text. */
export interface Question {
  readonly node: string;
  readonly from: ExplainRequest["from"];
  readonly method: string;
  readonly url: string;
  /** One `name: value` per line. */
  readonly headers: string;
  readonly source: string;
  readonly identity: string;
  /** The answer of external authorizers; empty for unknown. */
  readonly extAuthz: string;
  /** The id of the object whose text the edit began with. */
  readonly edit: string;
  /** YAML of changed objects. */
  readonly whatIf: string;
}

/** The fields that are in the address. */
const shared = ["node", "from", "method", "url", "headers", "source", "identity", "extAuthz", "edit"] as const;

export function questionFrom(query: URLSearchParams): Question {
  const text = (name: string) => query.get(name) ?? "";
  return {
    node: text("node"),
    from: text("from") === "network" ? "network" : "client",
    method: text("method") || "GET",
    url: text("url"),
    headers: text("headers"),
    source: text("source"),
    identity: text("identity"),
    extAuthz: text("extAuthz"),
    edit: text("edit"),
    whatIf: "",
  };
}

export function queryOf(question: Question): Readonly<Record<string, string>> {
  return Object.fromEntries(shared.map((name) => [name, question[name].trim()]));
}

export function requestOf(question: Question): ExplainRequest {
  const headers = headersOf(question.headers);
  const { whatIf, extAuthz } = question;
  const [source, identity] = [question.source.trim(), question.identity.trim()];
  return {
    node: question.node.trim(),
    from: question.from,
    method: question.method.trim(),
    url: question.url.trim(),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(source !== "" && { source }),
    ...(identity !== "" && { identity }),
    ...((extAuthz === "allow" || extAuthz === "deny") && { extAuthz }),
    ...(whatIf.trim() !== "" && { whatIf }),
  };
}

function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split("\n").flatMap((line) => {
    const colon = line.indexOf(":", 1);
    return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}
