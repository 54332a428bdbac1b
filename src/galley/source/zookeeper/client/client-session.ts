import type { Cancel, Clock } from "../../../../lib/time/clock.ts";
import type { NodeAnswer, OnChange, OnSessionEvent, OnTreeChanges, OpenSession, Session } from "../session.ts";
import type { Greeting } from "../wire/answers.ts";
import type { Conversation } from "../wire/conversation.ts";
import { noSession, type SessionIdentity } from "../wire/requests.ts";
import type { TlsFiles } from "./dial.ts";
import { Line } from "./line.ts";

export interface ClientOptions {
  /** `HOST:PORT`. */
  readonly addresses: readonly string[];
  readonly clock: Clock;
  readonly sessionTimeoutMs: number;
  /** Undefined for connections without TLS. */
  readonly tls?: TlsFiles | undefined;
  /** The login as `NAME:PASSWORD`, called for each connection. Absent for anonymous access. */
  readonly login?: () => string;
  /** The largest accepted answer. */
  readonly maxAnswerBytes?: number;
}

/** The pause after every server was tried, and after a server did something wrong. */
const pauseMs = 500;

/** Sessions with real servers. Each attempt goes to the next server, beginning with any of them. */
export function clientSessions(options: ClientOptions): OpenSession {
  const { addresses } = options;
  let next = Math.floor(Math.random() * addresses.length);
  const nextAddress = () => addresses[next++ % addresses.length] ?? "";
  return (onEvent, seen = 0n) => new ClientSession(options, onEvent, { nextAddress, seen });
}

interface Beginning {
  readonly nextAddress: () => string;
  /** The last transaction that earlier sessions have seen. */
  readonly seen: bigint;
}

/** A session over one connection after the other. */
class ClientSession implements Session {
  readonly #options: ClientOptions;
  readonly #onEvent: OnSessionEvent;
  readonly #nextAddress: () => string;
  /** The current connection, which may still be dialling. */
  #line: Line | undefined;
  /** The connection that the server has greeted. */
  #talk: Conversation | undefined;
  #session: SessionIdentity = noSession;
  #seen: bigint;
  #open = true;
  /** Attempts since the last greeting. */
  #attempts = 0;
  #cancelRetry: Cancel = () => {};
  #cancelPing: Cancel = () => {};

  constructor(options: ClientOptions, onEvent: OnSessionEvent, { nextAddress, seen }: Beginning) {
    this.#options = options;
    this.#onEvent = onEvent;
    this.#nextAddress = nextAddress;
    this.#seen = seen;
    this.#dial();
  }

  get seen(): bigint {
    return this.#talk?.seen ?? this.#seen;
  }

  async children(path: string, onChange?: OnChange): Promise<NodeAnswer<readonly string[]>> {
    const read = this.#talk?.ask("children", path, { read: (body) => body.texts("names"), onChange });
    return read ?? { type: "lost" };
  }

  async data(path: string, onChange?: OnChange): Promise<NodeAnswer<string>> {
    return this.#talk?.ask("data", path, { read: (body) => body.text("data"), onChange }) ?? { type: "lost" };
  }

  async exists(path: string, onChange?: OnChange): Promise<NodeAnswer<true>> {
    return this.#talk?.ask<true>("exists", path, { read: () => true, onChange }) ?? { type: "lost" };
  }

  async watchTree(path: string, onChanges: OnTreeChanges): Promise<NodeAnswer<true>> {
    return this.#talk?.watchTree(path, onChanges) ?? { type: "lost" };
  }

  close(): void {
    if (this.#talk !== undefined) this.#line?.leave();
    this.#end();
  }

  #dial(): void {
    this.#attempts += 1;
    const { addresses: _, ...options } = this.#options;
    const { sessionTimeoutMs } = options;
    const line: Line = new Line({
      ...options,
      address: this.#nextAddress(),
      hello: { seen: this.#seen, sessionTimeoutMs, session: this.#session },
      onGreeting: (greeting) => this.#greeted(line, greeting),
      onLoginRefused: () => {
        this.#end();
        this.#onEvent("unauthorized");
      },
      onEnd: (reason) => this.#lost(reason),
    });
    this.#line = line;
  }

  #greeted(line: Line, { session, timeoutMs, isReadOnly }: Greeting): void {
    if (isReadOnly) return line.fail("the server is read-only, because it has lost the others");
    if (timeoutMs <= 0) {
      this.#end();
      return this.#onEvent("expired");
    }
    this.#session = session;
    this.#attempts = 0;
    this.#talk = line.conversation;
    const login = this.#options.login?.();
    if (login !== undefined) this.#talk.login(login);
    this.#keepAlive(this.#talk, timeoutMs / 3);
    this.#onEvent("connected");
  }

  #keepAlive(talk: Conversation, everyMs: number): void {
    this.#cancelPing = this.#options.clock.after(everyMs, () => {
      talk.ping();
      this.#keepAlive(talk, everyMs);
    });
  }

  /** The connection is lost. With a reason, the server did something wrong. */
  #lost(reason: string | undefined): void {
    const wasConnected = this.#talk !== undefined;
    this.#hangUp();
    if (reason !== undefined) this.#onEvent("broken", reason);
    if (wasConnected) this.#onEvent("disconnected");
    // The listener may have closed the session.
    if (!this.#open) return;
    const hasTriedAll = !wasConnected && this.#attempts % this.#options.addresses.length === 0;
    if (reason === undefined && !hasTriedAll) this.#dial();
    else this.#cancelRetry = this.#options.clock.after(pauseMs, () => this.#dial());
  }

  #hangUp(): void {
    this.#seen = this.seen;
    this.#cancelPing();
    this.#line?.hangUp();
    this.#line = undefined;
    this.#talk = undefined;
  }

  #end(): void {
    this.#open = false;
    this.#cancelRetry();
    this.#hangUp();
  }
}
