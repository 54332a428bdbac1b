/** What a page answers with. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One page. A slash at the end of a path is as good as none. */
export interface Route {
  readonly path: string;
  /** For the index: what it shows, and its parameters. */
  readonly doc: string;
  /** Whether anybody may see it, from anywhere. Other pages are for this machine, and for those who run the mesh. */
  readonly open?: boolean;
  /** To GET. */
  readonly answer: (query: URLSearchParams) => Answer | Promise<Answer>;
  /** What a workload of the mesh may see of it from another machine; nothing unless given. */
  readonly answerWithin?: (namespace: string, query: URLSearchParams) => Answer | Promise<Answer>;
  /** What else may be done here. */
  readonly change?: Change;
}

/** Takes the body of a request, as it was sent. */
interface Change {
  readonly method: "PUT" | "POST";
  readonly apply: (body: string) => Answer | Promise<Answer>;
}

export function text(body: string, status = 200): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

export function json(value: unknown, status = 200): Answer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, plain, 2)}\n` };
}

/** What JSON has no word for, in the words it has. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Set) return [...value];
  return value instanceof Map ? Object.fromEntries(value) : value;
}
