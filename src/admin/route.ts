/** The answer of a page. */
export interface PageAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One page. A trailing slash in the path is ignored. */
export interface Route {
  readonly path: string;
  /** For the index: content and parameters. */
  readonly doc: string;
  /** Whether every client may see it, from anywhere. Other pages are for this machine and for operators of the mesh. */
  readonly open?: boolean;
  /** Whether a loaded server serves it too, beside the open pages. */
  readonly vital?: boolean;
  /** Answers GET. `accept` is the header, for pages with several formats. */
  readonly answer: (query: URLSearchParams, accept?: string) => PageAnswer | Promise<PageAnswer>;
  /** The part of the page that a remote workload of the mesh may see. Default: nothing. */
  readonly answerWithin?: (namespace: string, query: URLSearchParams) => PageAnswer | Promise<PageAnswer>;
  /** A further method that changes something. */
  readonly change?: Change;
}

/** Handles the body of a request, unparsed. */
interface Change {
  readonly method: "PUT" | "POST";
  readonly apply: (body: string) => PageAnswer | Promise<PageAnswer>;
}

export function text(body: string, status = 200): PageAnswer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

export function json(value: unknown, status = 200): PageAnswer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, plain, 2)}\n` };
}

/** Converts values that JSON does not support into values that it supports. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Set) return [...value];
  return value instanceof Map ? Object.fromEntries(value) : value;
}
