import type { Connection } from "../../xds/connection.ts";
import type { Proxy } from "../model/proxy.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushQueue } from "./push-queue.ts";

/**
 * Serves the push queue, one connection after the other, with a turn for everybody else between two. A connection
 * whose socket is full keeps nobody waiting: what is due to it leaves when it has been flushed.
 */
export class Dispatcher {
  readonly #queue = new PushQueue<Connection<Proxy>>();
  readonly #turn: () => Promise<void>;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(turn: () => Promise<void>) {
    this.#turn = turn;
  }

  enqueue(connection: Connection<Proxy>, request: PushRequest): void {
    if (this.#stopped) return;
    this.#queue.enqueue(connection, request);
    this.#running ??= this.#run();
  }

  remove(connection: Connection<Proxy>): void {
    this.#queue.remove(connection);
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    await this.#turn();
    for (let next = this.#queue.dequeue(); next !== undefined && !this.#stopped; next = this.#queue.dequeue()) {
      const [connection, request] = next;
      connection.push(request);
      this.#queue.markDone(connection);
      await this.#turn();
    }
    this.#running = undefined;
  }
}
