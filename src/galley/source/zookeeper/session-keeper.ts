import type { Cancel, Clock } from "../../../lib/time/clock.ts";
import { Lane } from "./lane.ts";
import type { OpenSession, Session, SessionEvent } from "./session.ts";

export interface KeeperOptions {
  readonly open: OpenSession;
  readonly clock: Clock;
  /** How many servers there are to try. */
  readonly addresses: number;
  readonly sessionTimeoutMs: number;
  /** How many readings may be under way at once. */
  readonly parallel: number;
  /** A node to ask for when nothing else is asked. */
  readonly probe: string;
  /** A connection to read through, or (undefined) none for the moment. */
  readonly onLane: (lane: Lane | undefined) => void;
  /** Nobody answers, for longer than an election takes. */
  readonly onTrouble: (reason: string) => void;
}

/**
 * Keeps a session open, for ever. A client is given a second per server and one more to find another server by itself;
 * then, and when the session has expired, a new one takes its place. The client library never notices a server that
 * stays connected and is silent, so that one is asked something now and then.
 */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  #session: Session | undefined;
  #lane: Lane | undefined;
  #seen: Uint8Array | undefined;
  /** How many sessions in a row found nobody. */
  #fruitless = 0;
  #cancelGrace: Cancel = () => {};
  #cancelProbe: Cancel = () => {};
  /** Settles when there is a connection, or trouble. */
  #outcome = Promise.withResolvers<void>();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#open();
  }

  /** Resolves when all that the server has told of so far has been heard, or there is no server to tell anything. */
  async heard(): Promise<void> {
    await this.#outcome.promise;
    await this.#lane?.session.exists(this.#options.probe);
  }

  close(): void {
    this.#end();
    this.#outcome.resolve();
  }

  /**
   * Servers that have seen less than we have are not talked to; but where none has seen as much, not after each was tried
   * in turn, the ensemble has begun anew, from a backup or from nothing.
   */
  #open(): void {
    if (this.#fruitless > this.#options.addresses) this.#seen = undefined;
    const session = this.#options.open((event, reason) => {
      if (this.#session === session) this.#hear(event, session, reason);
    }, this.#seen);
    this.#session = session;
    this.#cancelGrace = this.#options.clock.after(this.#graceMs, () => this.#replace("no server answers"));
  }

  get #graceMs(): number {
    return (this.#options.addresses + 1) * 1_000;
  }

  #hear(event: SessionEvent, session: Session, reason = ""): void {
    switch (event) {
      case "connected":
        this.#cancelGrace();
        this.#fruitless = 0;
        this.#follow(new Lane(session, this.#options.parallel));
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
        this.#trouble(reason);
        return;
      case "unauthorized":
        this.#disconnect();
        this.#trouble("the servers do not know who we are");
        return;
    }
  }

  #disconnect(): void {
    if (this.#lane === undefined) return;
    this.#cancelProbe();
    this.#follow(undefined);
    this.#cancelGrace = this.#options.clock.after(this.#graceMs, () => this.#replace("no server answers"));
  }

  #replace(reason: string): void {
    this.#fruitless += 1;
    this.#end();
    this.#trouble(reason);
    this.#open();
  }

  #trouble(reason: string): void {
    this.#options.onTrouble(reason);
    this.#outcome.resolve();
  }

  /** Two thirds of the time after which the server would take the session for dead. */
  #ask(session: Session): void {
    let answered = false;
    void session.exists(this.#options.probe).finally(() => {
      answered = true;
    });
    this.#cancelProbe();
    this.#cancelProbe = this.#options.clock.after((this.#options.sessionTimeoutMs * 2) / 3, () => {
      if (answered) this.#ask(session);
      else this.#replace("the server is connected, and silent");
    });
  }

  #end(): void {
    this.#cancelGrace();
    this.#cancelProbe();
    if (this.#lane !== undefined) this.#follow(undefined);
    this.#seen = this.#session?.seen ?? this.#seen;
    this.#session?.close();
    this.#session = undefined;
  }

  #follow(lane: Lane | undefined): void {
    this.#lane = lane;
    if (lane === undefined) this.#outcome = Promise.withResolvers();
    else this.#outcome.resolve();
    this.#options.onLane(lane);
  }
}
