import type { HttpReply } from "../support/http.ts";
import type { RowOutcome } from "./row.ts";

interface Echoed {
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The actual outcome in the form of the expected one. Contains only the fields that are expected. */
export function seenBy({ status, headers, body }: HttpReply, expected: RowOutcome, host: string): object {
  if (!("by" in expected)) {
    const location = headers.location?.replace(host, "HOST");
    const seen = { status, body, location, headers: pick(headers, expected.headers) };
    return { status, ...only(seen, expected) };
  }
  const by = headers["x-echo"] ?? `status ${status}`;
  const echoed = headers["x-echo"] === undefined ? undefined : (JSON.parse(body) as Echoed);
  const seen = {
    path: echoed?.path,
    host: echoed?.host,
    received: pick(echoed?.headers ?? {}, expected.received),
    answered: pick(headers, expected.answered),
  };
  return { by, ...only(seen, expected) };
}

function only(seen: object, expected: object): object {
  return Object.fromEntries(Object.entries(seen).filter(([key]) => key in expected));
}

function pick(headers: object, expected: object = {}): object {
  const found = new Map(Object.entries(headers));
  return Object.fromEntries(Object.keys(expected).map((name) => [name, found.get(name)]));
}
