import type { ApiProblem } from "../../src/desk/api/model/listing.ts";

/** Why an answer is missing, in words for people. */
export interface ApiFailure {
  /** 0: no answer at all. */
  readonly status: number;
  readonly message: string;
  /** The server wants no request before, for example because it is overloaded. */
  readonly retryAfterMs?: number;
}

export type ApiAnswer<T> =
  | { readonly type: "answer"; readonly value: T }
  | { readonly type: "failure"; readonly failure: ApiFailure };

const base = "/api/v1";

/** A request of the JSON API. Never throws, except when the caller aborts it. */
export async function ask<T>(path: string, init: RequestInit = {}): Promise<ApiAnswer<T>> {
  try {
    const response = await fetch(`${base}${path}`, init);
    if (response.ok) return { type: "answer", value: (await response.json()) as T };
    const failure = { status: response.status, message: await reasonOf(response) };
    const seconds = Number(response.headers.get("retry-after") ?? "0");
    return { type: "failure", failure: seconds > 0 ? { ...failure, retryAfterMs: seconds * 1_000 } : failure };
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown;
    return { type: "failure", failure: { status: 0, message: "The server does not answer." } };
  }
}

/** The API's own words, where it has some. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as Partial<ApiProblem>;
    if (error !== undefined) return error;
  } catch {
    // Not JSON: an intermediary, or plain text.
  }
  return text.trim().slice(0, 300) || `The server answered with status ${response.status}.`;
}

/** A request that sends a JSON document. */
export function sending(method: "POST" | "PUT", body: unknown): RequestInit {
  return { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
}
