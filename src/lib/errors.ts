/**
 * The catalogue: every error that may cross a boundary, with what it means to the person who meets it. Codes are
 * stable; edges map them to gRPC statuses (`statusOfError`) and exit codes (`exitCodeOf`).
 */
export const meshErrors = {
  "bad-config": "Configuration was refused; the message names the object and the field.",
  "bad-option": "A flag, an environment variable or a request has a value that cannot be used.",
  cancelled: "The work was called off before it was done, mostly because of a shutdown.",
  internal: "A bug in Binnacle: please report it with the cause.",
  "limit-exceeded": "The other side sent more than is taken from it; the message names the limit and how much came.",
  "listen-failed": "An address could not be listened on.",
  "not-found": "What was asked for does not exist.",
  "peer-protocol": "The other side broke its protocol: what it said is not used.",
  "source-unavailable": "A source of configuration cannot be reached or read.",
  timeout: "The other side did not answer in time.",
  unavailable: "The other side cannot be reached, or is not ready yet.",
} as const satisfies Record<string, string>;

export type MeshErrorCode = keyof typeof meshErrors;

/** The one error that crosses boundaries. Expected failures inside the core are values, not this. */
export class MeshError extends Error {
  override readonly name = "MeshError";
  readonly code: MeshErrorCode;

  constructor(code: MeshErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  /** For every catch at a boundary: a MeshError stays itself, all else is our fault (`internal`) with its cause. */
  static from(thrown: unknown): MeshError {
    if (thrown instanceof MeshError) return thrown;
    return new MeshError("internal", errorFrom(thrown).message, { cause: thrown });
  }
}

/** JavaScript can throw anything; this makes it an Error, keeping one that already is. */
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

/** The code of what was thrown, if it has one: that of a system call, as in `ENOENT`, or one of ours. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Why nobody was reached. `fetch` says so in its cause only, and of a name with several addresses there are several. */
export function networkReason(thrown: unknown): string {
  if (thrown instanceof MeshError) return thrown.message;
  const { cause = thrown, message } = errorFrom(thrown);
  const [first = cause] = cause instanceof AggregateError ? cause.errors : [];
  return errorFrom(first).message || message;
}
