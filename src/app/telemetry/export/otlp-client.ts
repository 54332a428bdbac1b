import { bodyOf, readBounded } from "../../../lib/bounded/read-bounded.ts";
import { networkReason } from "../../../lib/errors.ts";

/** The answer of a collector to one request. */
export type Outcome =
  /** `rejected` items were not taken, for the reason. */
  | { readonly type: "accepted"; readonly rejected: number; readonly reason: string }
  /** The same request may be accepted later. */
  | { readonly type: "unavailable"; readonly reason: string; readonly afterMs: number }
  | { readonly type: "refused"; readonly reason: string };

export interface OtlpClientOptions {
  /** Without the path of a signal. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

/** The statuses after which OTLP asks for another attempt. */
const temporary = new Set([429, 502, 503, 504]);
const contentType = "application/x-protobuf";

/** One request to `ENDPOINT/v1/SIGNAL`. Never throws. Reasons contain no headers. */
export async function postOtlp(
  request: {
    readonly signal: "traces" | "metrics";
    readonly body: Uint8Array<ArrayBuffer>;
    readonly readAnswer: ReadAnswer;
  },
  { endpoint, headers, timeoutMs, maxAnswerBytes }: OtlpClientOptions,
  abort: AbortSignal,
): Promise<Outcome> {
  const url = `${endpoint.replace(/\/+$/u, "")}/v1/${request.signal}`;
  try {
    const response = await fetch(url, {
      method: "POST",
      body: request.body,
      // The headers of users come first: they cannot change the content type.
      headers: { "user-agent": "binnacle", ...headers, "content-type": contentType },
      redirect: "error",
      signal: AbortSignal.any([abort, AbortSignal.timeout(timeoutMs)]),
    });
    const answer = await readBounded(bodyOf(response), {
      what: "the answer of the collector",
      maxBytes: maxAnswerBytes,
    });
    if (response.ok) return acceptedOf(response, answer, request.readAnswer);
    const reason = `the collector answered ${response.status}`;
    if (!temporary.has(response.status)) return { type: "refused", reason };
    return { type: "unavailable", reason, afterMs: retryAfterMs(response.headers.get("retry-after")) };
  } catch (thrown) {
    const timedOut = thrown instanceof DOMException && thrown.name === "TimeoutError";
    const reason = timedOut ? `the collector has not answered within ${timeoutMs} ms` : networkReason(thrown);
    return { type: "unavailable", reason, afterMs: 0 };
  }
}

/** Reads how many items a collector rejected, and why. */
export type ReadAnswer = (answer: Uint8Array) => { readonly rejected: number; readonly reason: string };

/** An answer that cannot be read is no reason to send again: the status is the answer. */
function acceptedOf({ headers }: Response, answer: Uint8Array, read: ReadAnswer): Outcome {
  const all = { type: "accepted", rejected: 0, reason: "" } as const;
  if (answer.length === 0 || !(headers.get("content-type") ?? "").startsWith(contentType)) return all;
  try {
    return { type: "accepted", ...read(answer) };
  } catch {
    return all;
  }
}

/** Only seconds: a date would need the clock of the collector. */
function retryAfterMs(value: string | null): number {
  return /^\d{1,5}$/u.test(value ?? "") ? Number(value) * 1_000 : 0;
}
