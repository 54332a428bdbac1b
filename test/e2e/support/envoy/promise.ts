import type { Explanation } from "../../../../src/explain/explanation.ts";
import type { HttpReply } from "../http.ts";

/**
 * The result that an explanation promises a caller: a status and, if known, the workload that answers and its request.
 */
export interface PromisedAnswer {
  readonly status: number | undefined;
  readonly location?: string;
  readonly body?: string;
  /** The names of the workloads that may answer. */
  readonly by?: readonly string[];
  readonly path?: string;
  readonly host?: string;
}

/** `names` are the names of the workloads, by `address:port`. */
export function promiseOf({ outcome, steps }: Explanation, names: ReadonlyMap<string, string>): PromisedAnswer {
  if (outcome.type === "redirect") return { status: outcome.status, location: outcome.location };
  if (outcome.type === "response") return { status: outcome.status, body: outcome.body };
  if (outcome.type !== "forwarded") return { status: outcome.type === "refused" ? outcome.status : undefined };
  const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
  const notes = steps.flatMap((step) => step.notes);
  return {
    status: 200,
    by: endpoints.map(({ address }) => names.get(address) ?? address),
    ...rewritten("path", notes),
    ...rewritten("host", notes),
  };
}

function rewritten(what: "path" | "host", notes: readonly string[]): Partial<PromisedAnswer> {
  const prefix = `the ${what} becomes `;
  const note = notes.find((each) => each.startsWith(prefix));
  return note === undefined ? {} : { [what]: note.slice(prefix.length) };
}

/** True if the answer keeps the promise. Workloads are echoes, which return the request that reached them. */
export function isKept(promise: PromisedAnswer, { status, headers, body }: HttpReply): boolean {
  if (status !== promise.status) return false;
  if (promise.location !== undefined) return headers.location === promise.location;
  if (promise.body !== undefined) return body === promise.body;
  if (promise.by === undefined) return true;
  if (!promise.by.includes(String(headers["x-echo"]))) return false;
  const reached = JSON.parse(body) as { readonly path: string; readonly host: string };
  return (promise.path ?? reached.path) === reached.path && (promise.host ?? reached.host) === reached.host;
}
