/**
 * The catalogue of all errors that may cross a boundary, each with an explanation for its reader. Codes are stable.
 * Edges map them to gRPC statuses (`statusOfError`) and exit codes (`exitCodeOf`).
 */
export const meshErrors = {
  "bad-config": "Configuration was refused; the message names the object and the field.",
  "bad-option": "A flag, an environment variable or a request has a value that cannot be used.",
  cancelled: "The work was cancelled before it finished, mostly because of a shutdown.",
  internal: "A bug in Binnacle: please report it with the cause.",
  "limit-exceeded":
    "The other side sent more than the limit allows. The message names the limit and the amount received.",
  "listen-failed": "The process cannot listen on an address.",
  "not-found": "The requested object or page does not exist.",
  "peer-protocol": "The other side broke its protocol. Its message is not used.",
  "source-unavailable": "A source of configuration cannot be reached or read.",
  timeout: "The other side did not answer in time.",
  unavailable: "The other side cannot be reached, or is not ready yet.",
} as const satisfies Record<string, string>;

export type MeshErrorCode = keyof typeof meshErrors;

/** The only error class that crosses boundaries. Expected failures inside the core are values instead. */
export class MeshError extends Error {
  override readonly name = "MeshError";
  readonly code: MeshErrorCode;

  constructor(code: MeshErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /**
   * For every catch at a boundary. Returns a MeshError unchanged; any other value becomes `internal`, with its cause.
   */
  static from(thrown: unknown): MeshError {
    if (thrown instanceof MeshError) return thrown;
    return new MeshError("internal", errorFrom(thrown).message, { cause: thrown });
  }
}

/** Turns any thrown value into an Error, because JavaScript can throw anything. Returns an Error unchanged. */
export function errorFrom(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(textOf(thrown), { cause: thrown });
}

/** Objects without a prototype, or with a `toString` that throws, have no text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something was thrown that has no text";
  }
}

/** The code of a thrown value, if it has one: a system call code such as `ENOENT`, or one of ours. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/**
 * The reason of a network failure. `fetch` has it only in its cause. A name with several addresses has several reasons.
 */
export function networkReason(thrown: unknown): string {
  if (thrown instanceof MeshError) return thrown.message;
  const { cause = thrown, message } = errorFrom(thrown);
  const [first = cause] = cause instanceof AggregateError ? cause.errors : [];
  return errorFrom(first).message || message;
}
