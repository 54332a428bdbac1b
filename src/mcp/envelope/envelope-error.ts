/** A resource that cannot be sent, or that came and cannot be used: which one, and what is wrong with it. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";
  /** As on the wire; "" where it has none. */
  readonly resource: string;
  readonly reason: string;

  constructor(resource: string, reason: string, options?: { readonly cause?: unknown }) {
    super(`${resource || "a resource without a name"}: ${reason}`, options);
    this.resource = resource;
    this.reason = reason;
  }
}
