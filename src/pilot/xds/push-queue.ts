import { mergePushRequests, type PushRequest } from "../model/push-request.ts";

/**
 * The connections that wait for a push, in order of arrival. A connection is in the queue at most once, and never in
 * two pushes at a time. Requests that arrive meanwhile are merged and wait. Nothing is lost.
 */
export class PushQueue<Connection> {
  /** Insertion order is the queue's order; a merge keeps the position. */
  readonly #waiting = new Map<Connection, PushRequest>();
  readonly #processing = new Map<Connection, PushRequest | undefined>();

  get waiting(): number {
    return this.#waiting.size;
  }

  get processing(): number {
    return this.#processing.size;
  }

  enqueue(connection: Connection, request: PushRequest): void {
    const queue = this.#processing.has(connection) ? this.#processing : this.#waiting;
    queue.set(connection, mergePushRequests(queue.get(connection), request));
  }

  /** The connection that has waited longest; it counts as processing until `markDone`. */
  dequeue(): readonly [Connection, PushRequest] | undefined {
    for (const [connection, request] of this.#waiting) {
      this.#waiting.delete(connection);
      this.#processing.set(connection, undefined);
      return [connection, request];
    }
    return undefined;
  }

  /** Ends a connection's turn; if something came meanwhile it queues again, at the end. */
  markDone(connection: Connection): void {
    const accumulated = this.#processing.get(connection);
    this.#processing.delete(connection);
    if (accumulated !== undefined) this.#waiting.set(connection, accumulated);
  }

  /** Forgets a connection that is gone. */
  remove(connection: Connection): void {
    this.#waiting.delete(connection);
    this.#processing.delete(connection);
  }
}
