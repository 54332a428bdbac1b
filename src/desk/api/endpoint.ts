import type { Viewer } from "../../admin/viewer.ts";
import type { ApiProblem } from "./model/listing.ts";

/** A request of the API by a known viewer. */
export interface ApiRequest {
  readonly viewer: Viewer;
  /** The values of the capital words in the path of the endpoint, decoded, in order. */
  readonly values: readonly string[];
  readonly query: URLSearchParams;
  /** The parsed body; undefined without one. */
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One endpoint. The reference is made from these rows, and a test checks the access of every row. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT";
  /** Below `/api/v1`. A segment in capitals is a value: `/changes/ID`. */
  readonly path: string;
  readonly doc: string;
  /** The query parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The type of the body of a request, and of an answer, in `src/desk/api/model`. */
  readonly takes?: string;
  readonly gives: string;
  /** `namespace`: a workload gets the part of its own namespace. `operators`: a workload gets 403. */
  readonly access: "namespace" | "operators";
  /** It changes the state of the server, so it needs a token of an operator, even from this machine. */
  readonly changesState?: true;
  readonly answer: (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer>;
}

export function found(body: object): ApiAnswer {
  return { status: 200, body };
}

export function problem(status: number, error: string): ApiAnswer {
  return { status, body: { error } satisfies ApiProblem };
}

/** Whether the viewer may see a namespace. Objects of the whole cluster are for operators. */
export function maySee(viewer: Viewer, namespace: string): boolean {
  return viewer.type === "system" || viewer.namespace === namespace;
}
