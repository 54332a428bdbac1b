/** What a page answers with. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One page: GET only, answered from memory. */
export interface Route {
  readonly path: string;
  /** For the index: what it shows, and its parameters. */
  readonly doc: string;
  readonly answer: (query: URLSearchParams) => Answer | Promise<Answer>;
}

export function text(body: string, status = 200): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}

export function json(value: unknown, status = 200): Answer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, undefined, 2)}\n` };
}
