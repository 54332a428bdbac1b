import { mergePushRequests, type PushRequest } from "../model/push-request.ts";

/**
 * The connections that wait for a push. Namespaces take turns, so that one with many proxies does not delay the proxies
 * of others. Within a namespace the order is that of arrival. A connection is in the queue at most once, and never in
 * two pushes at a time. Requests that arrive meanwhile are merged and wait. Nothing is lost.
 */
export class PushQueue<Connection> {
  readonly #namespaceOf: (connection: Connection) => string;
  /** By namespace. Insertion order is the order of turns, and within a namespace that of connections. */
  readonly #waiting = new Map<string, Map<Connection, PushRequest>>();
  readonly #processing = new Map<Connection, PushRequest | undefined>();
  #size = 0;

  constructor(namespaceOf: (connection: Connection) => string) {
    this.#namespaceOf = namespaceOf;
  }

  get waiting(): number {
    return this.#size;
  }

  get processing(): number {
    return this.#processing.size;
  }

  /** The request that waits for a connection, if there is one. */
  requestOf(connection: Connection): PushRequest | undefined {
    const waiting = this.#waiting.get(this.#namespaceOf(connection))?.get(connection);
    return waiting ?? this.#processing.get(connection);
  }

  /** A merge keeps the position. */
  enqueue(connection: Connection, request: PushRequest): void {
    if (!this.#processing.has(connection)) return this.#add(connection, request);
    this.#processing.set(connection, mergePushRequests(this.#processing.get(connection), request));
  }

  /** The connection that has waited longest in the namespace whose turn it is. It is processing until `markDone`. */
  dequeue(): readonly [Connection, PushRequest] | undefined {
    for (const [namespace, connections] of this.#waiting) {
      for (const [connection, request] of connections) {
        this.#take(namespace, connection);
        this.#passTurn(namespace, connections);
        this.#processing.set(connection, undefined);
        return [connection, request];
      }
    }
    return undefined;
  }

  /** Ends a connection's turn; if something came meanwhile it queues again, at the end. */
  markDone(connection: Connection): void {
    const accumulated = this.#processing.get(connection);
    this.#processing.delete(connection);
    if (accumulated !== undefined) this.#add(connection, accumulated);
  }

  /** Forgets a connection that is gone. */
  remove(connection: Connection): void {
    this.#take(this.#namespaceOf(connection), connection);
    this.#processing.delete(connection);
  }

  #add(connection: Connection, request: PushRequest): void {
    const namespace = this.#namespaceOf(connection);
    const connections = this.#waiting.get(namespace) ?? new Map<Connection, PushRequest>();
    if (!connections.has(connection)) this.#size += 1;
    this.#waiting.set(namespace, connections);
    connections.set(connection, mergePushRequests(connections.get(connection), request));
  }

  #take(namespace: string, connection: Connection): void {
    const connections = this.#waiting.get(namespace);
    if (connections?.delete(connection) !== true) return;
    this.#size -= 1;
    if (connections.size === 0) this.#waiting.delete(namespace);
  }

  #passTurn(namespace: string, connections: Map<Connection, PushRequest>): void {
    if (!this.#waiting.delete(namespace)) return;
    this.#waiting.set(namespace, connections);
  }
}
