/** A resource that cannot be sent, or a received resource that cannot be used, with its name and the problem. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";
  /** The wire name. Empty if the resource has none. */
  readonly resource: string;
  readonly reason: string;

  constructor(resource: string, reason: string, options?: { readonly cause?: unknown }) {
    super(`${resource || "a resource without a name"}: ${reason}`, options);
    this.resource = resource;
    this.reason = reason;
  }
}
