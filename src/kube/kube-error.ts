import { isMapping } from "../lib/is-mapping.ts";

/**
 * What an API server refuses a request with, over HTTP or as the last event of a watch. The message is the server's:
 * of what is forbidden it names user, verb, resource and namespace.
 */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** The HTTP status. */
  readonly code: number;
  /** A word such as `Expired`, or "". */
  readonly reason: string;
  /** How long the server wants to be left alone; 0 when it does not say. */
  readonly retryAfterMs: number;
  /** What it is about in detail, such as `ResourceVersionTooLarge`. */
  readonly causes: readonly string[];

  constructor(status: unknown, http: { readonly code: number; readonly retryAfter?: string | undefined }) {
    const fields = isMapping(status) ? status : {};
    const details = isMapping(fields["details"]) ? fields["details"] : {};
    super(textOf(fields["message"]) || `the API server answered with status ${http.code}`);
    this.code = numberOf(fields["code"]) || http.code;
    this.reason = textOf(fields["reason"]);
    this.retryAfterMs = 1000 * (Number(http.retryAfter ?? 0) || numberOf(details["retryAfterSeconds"]));
    const causes = Array.isArray(details["causes"]) ? details["causes"] : [];
    this.causes = causes.filter(isMapping).map(({ reason }) => textOf(reason));
  }

  /** What was asked for lies too far back: everything has to be read anew. */
  get isExpired(): boolean {
    return this.code === 410;
  }

  /** The server is behind what we have seen already, or was restored from a backup. */
  get isAheadOfServer(): boolean {
    return this.causes.includes("ResourceVersionTooLarge");
  }
}

function textOf(raw: unknown): string {
  return typeof raw === "string" ? raw : "";
}

function numberOf(raw: unknown): number {
  return typeof raw === "number" ? raw : 0;
}
