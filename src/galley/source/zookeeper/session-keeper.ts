import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { ReadLimiter } from "./read-limiter.ts";
import type { OpenSession, Session, SessionEvent } from "./session.ts";

export interface KeeperOptions {
  readonly open: OpenSession;
  readonly clock: Clock;
  /** The number of servers to try. */
  readonly addresses: number;
  readonly sessionTimeoutMs: number;
  /** The most parallel reads. */
  readonly parallel: number;
  /** The node to read as a liveness check. */
  readonly probe: string;
  /** A connection to read through, or undefined while there is none. */
  readonly onLimiter: (limiter: ReadLimiter | undefined) => void;
  /** No server has answered for longer than a leader election takes. */
  readonly onTrouble: (reason: string) => void;
}

/**
 * Keeps a session open forever. A client has one second per server and one more to find another server. After that, or
 * when the session expires, a new session replaces it. A session does not notice a connected but silent server, so the
 * keeper probes the server regularly.
 */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  #session: Session | undefined;
  #limiter: ReadLimiter | undefined;
  #seen: bigint | undefined;
  /** The number of consecutive sessions without a connection. */
  #fruitless = 0;
  #cancelGrace: Cancel = () => {};
  #cancelProbe: Cancel = () => {};
  /** Settles when there is a connection or a failure. */
  #outcome = Promise.withResolvers<void>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#open();
  }

  /** Resolves when all events of the server so far have been processed, or when there is no server. */
  async heard(): Promise<void> {
    await this.#outcome.promise;
    await this.#limiter?.session.exists(this.#options.probe);
  }

  close(): void {
    this.#end();
    this.#outcome.resolve();
  }

  /**
   * Servers that lag behind our last seen transaction are avoided. If every server was tried in turn and all lag
   * behind, the ensemble was recreated, empty or from a backup. Then any server is accepted.
   */
  #open(): void {
    if (this.#fruitless > this.#options.addresses) this.#seen = undefined;
    const session = this.#options.open((event, reason) => {
      if (this.#session === session) this.#onEvent(event, session, reason);
    }, this.#seen);
    this.#session = session;
    this.#cancelGrace = this.#options.clock.after(this.#graceMs, () => this.#replace("no server answers"));
  }

  get #graceMs(): number {
    return (this.#options.addresses + 1) * 1_000;
  }

  #onEvent(event: SessionEvent, session: Session, reason = ""): void {
    switch (event) {
      case "connected":
        this.#cancelGrace();
        this.#fruitless = 0;
        this.#follow(new ReadLimiter(session, this.#options.parallel));
        this.#ask(session);
        return;
      case "disconnected":
        this.#disconnect();
        return;
      case "expired":
        this.#end();
        this.#open();
        return;
      case "broken":
        this.#reportFailure(reason);
        return;
      case "unauthorized":
        this.#disconnect();
        this.#reportFailure("the servers rejected our authentication");
        return;
    }
  }

  #disconnect(): void {
    if (this.#limiter === undefined) return;
    this.#cancelProbe();
    this.#follow(undefined);
    this.#cancelGrace = this.#options.clock.after(this.#graceMs, () => this.#replace("no server answers"));
  }

  #replace(reason: string): void {
    this.#fruitless += 1;
    this.#end();
    this.#reportFailure(reason);
    this.#open();
  }

  #reportFailure(reason: string): void {
    this.#options.onTrouble(reason);
    this.#outcome.resolve();
  }

  /** Probes after two thirds of the session timeout. */
  #ask(session: Session): void {
    let answered = false;
    void session.exists(this.#options.probe).finally(() => {
      answered = true;
    });
    this.#cancelProbe();
    this.#cancelProbe = this.#options.clock.after((this.#options.sessionTimeoutMs * 2) / 3, () => {
      if (answered) this.#ask(session);
      else this.#replace("the server is connected, but does not respond");
    });
  }

  #end(): void {
    this.#cancelGrace();
    this.#cancelProbe();
    if (this.#limiter !== undefined) this.#follow(undefined);
    this.#seen = this.#session?.seen ?? this.#seen;
    this.#session?.close();
    this.#session = undefined;
  }

  #follow(limiter: ReadLimiter | undefined): void {
    this.#limiter = limiter;
    if (limiter === undefined) this.#outcome = Promise.withResolvers();
    else this.#outcome.resolve();
    this.#options.onLimiter(limiter);
  }
}
