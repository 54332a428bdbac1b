import { isMapping } from "../lib/is-mapping.ts";

/**
 * A refusal by an API server, over HTTP or as the last event of a watch. The message comes from the server. For a
 * forbidden request the message names user, verb, resource and namespace.
 */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** The HTTP status. */
  readonly code: number;
  /** A word such as `Expired`, or "". */
  readonly reason: string;
  /** How long the server wants the client to wait; 0 if the server gives no time. */
  readonly retryAfterMs: number;
  /** Detailed causes, such as `ResourceVersionTooLarge`. */
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

  /** The requested version is too old: the client has to list everything again. */
  get isExpired(): boolean {
    return this.code === 410;
  }

  /** The server is behind the version that we have seen, or was restored from a backup. */
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
