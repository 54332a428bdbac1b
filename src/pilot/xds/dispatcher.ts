import type { Cancel, Clock } from "../../lib/time/clock.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushQueue } from "./push-queue.ts";

/** The part of a connection that the dispatcher uses. */
type Recipient = Pick<Connection<Proxy>, "push" | "queued"> & { readonly client: Pick<Proxy, "namespace"> };

export interface DispatcherOptions {
  readonly clock: Clock;
  /** Lets other work run when it is time to. */
  readonly turn: () => Promise<void>;
  /** The most connections with bytes in flight. */
  readonly maxInFlight: number;
  /** Called when a connection is taken from the queue, with its waiting time. */
  readonly onDequeued?: (waitedMs: number) => void;
}

/** How long a connection may hold a slot while its bytes are on their way. */
const slotTimeoutMs = 1_000;

/**
 * Serves the push queue, one connection after the other, and yields to other work between two. A connection is in
 * flight until its bytes have left for the network. The number in flight is limited, because encrypted unsent bytes
 * take memory. A slow reader delays others only briefly: it loses its slot. It gets no new slot while it still has
 * unread bytes.
 */
export class Dispatcher<R extends Recipient = Connection<Proxy>> {
  readonly #options: DispatcherOptions;
  readonly #queue = new PushQueue<R>(({ client }) => client.namespace);
  readonly #patience = new Map<R, Cancel>();
  /** Since when connections wait. The first one has waited longest. */
  readonly #since = new Map<R, number>();
  #running: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #stopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Connections that wait to be pushed to. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** How long the connection at the head of the queue has waited. */
  get longestWaitMs(): number {
    const [since] = this.#since.values();
    return since === undefined ? 0 : this.#options.clock.now() - since;
  }

  /** The request that waits for a connection, if there is one. */
  requestOf(connection: R): PushRequest | undefined {
    return this.#queue.requestOf(connection);
  }

  enqueue(connection: R, request: PushRequest): void {
    if (this.#stopped) return;
    this.#queue.enqueue(connection, request);
    if (!this.#since.has(connection)) this.#since.set(connection, this.#options.clock.now());
    this.#running ??= this.#run();
  }

  /** All bytes for it have left. */
  flushed(connection: R): void {
    if (this.#patience.has(connection)) this.#done(connection);
  }

  remove(connection: R): void {
    this.#queue.remove(connection);
    this.#since.delete(connection);
    this.#leave(connection);
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#patience.values()) cancel();
    this.#room?.resolve();
  }

  async #run(): Promise<void> {
    await this.#options.turn();
    await this.#untilRoom();
    for (let next = this.#queue.dequeue(); next !== undefined && !this.#stopped; next = this.#queue.dequeue()) {
      this.#serve(next[0], next[1]);
      await this.#options.turn();
      if (!this.#hasRoom) await this.#untilRoom();
    }
    this.#running = undefined;
  }

  #serve(connection: R, request: PushRequest): void {
    const { clock, onDequeued } = this.#options;
    onDequeued?.(clock.now() - (this.#since.get(connection) ?? clock.now()));
    this.#since.delete(connection);
    const wasBusy = connection.queued > 0;
    connection.push(request);
    if (wasBusy || connection.queued === 0) return this.#queue.markDone(connection);
    this.#patience.set(
      connection,
      this.#options.clock.after(slotTimeoutMs, () => this.#done(connection)),
    );
  }

  #done(connection: R): void {
    this.#queue.markDone(connection);
    this.#leave(connection);
    if (this.#queue.waiting > 0 && !this.#stopped) this.#running ??= this.#run();
  }

  #leave(connection: R): void {
    this.#patience.get(connection)?.();
    this.#patience.delete(connection);
    this.#room?.resolve();
    this.#room = undefined;
  }

  get #hasRoom(): boolean {
    return this.#queue.processing < this.#options.maxInFlight || this.#stopped;
  }

  async #untilRoom(): Promise<void> {
    while (!this.#hasRoom) {
      this.#room ??= Promise.withResolvers();
      await this.#room.promise;
    }
  }
}
