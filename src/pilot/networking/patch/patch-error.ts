/** A patch that cannot be applied to a resource. The resource then stays as it was. */
export class PatchError extends Error {
  /** The field of Envoy's message, such as `transport_socket.typed_config`. */
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
  }
}
