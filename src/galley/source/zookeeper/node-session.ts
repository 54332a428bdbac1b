import type { Socket } from "node:net";
import { type Client, createClient, type Event, Exception, State } from "node-zookeeper-client";
import { errorFrom } from "../../../lib/errors.ts";
import { AnswerFrames, checkLength } from "./answer-frames.ts";
import type { NodeAnswer, OnChange, OnSessionEvent, OpenSession, Session, SessionEvent } from "./session.ts";
import { zooKeeperLimits } from "./zookeeper-limits.ts";

export interface NodeSessionOptions {
  /** `HOST:PORT`. */
  readonly addresses: readonly string[];
  readonly sessionTimeoutMs: number;
  /** The login as `NAME:PASSWORD`, called for each session. Absent for anonymous access. */
  readonly login?: () => string;
  /** The largest accepted answer. */
  readonly maxAnswerBytes?: number;
}

/**
 * Sessions over the client library `node-zookeeper-client`. This file and the session keeper add the features that the
 * library lacks.
 */
export function nodeSessions(options: NodeSessionOptions): OpenSession {
  let servers: readonly object[] | undefined;
  return (onEvent, seen) => {
    const session = new NodeSession(options, onEvent, { seen, servers });
    const [first, ...others] = session.servers;
    servers = first === undefined ? [] : [...others, first];
    return session;
  };
}

/** State that a session inherits from the previous one. */
interface Inherited {
  readonly seen: Uint8Array | undefined;
  /**
   * The servers in the order of attempts. The next session begins with another server, in case the first is at fault.
   */
  readonly servers: readonly object[] | undefined;
}

/**
 * Private parts of the library that we must access. Its public API lacks these features:
 * - End a client that is not connected. It dials forever, and misreads the greeting after a close while it dials.
 * - Set the last seen transaction of an earlier session, and the first server to try.
 * - Limit the size of answers, and survive invalid ones. `onSocketData` throws on them, outside of any call.
 * - Drop a partial answer when the connection ends. It would count as the beginning of the next greeting.
 * - Drop the watches of an ended connection. The library sets all of them again in one message. If there are too many,
 *   servers refuse the message and close the connection. We read everything again in any case.
 */
interface Internals {
  readonly connectionManager: {
    zxid: Uint8Array;
    servers: readonly object[];
    pendingBuffer: Uint8Array | null;
    findNextServer: (dial: () => void) => void;
    onSocketData: (bytes: Buffer) => void;
    readonly pendingQueue: readonly { readonly request: { readonly header: { readonly type: number } } }[];
    readonly socket?: Socket;
    readonly watcherManager: { dataWatchers: object; childWatchers: object; existenceWatchers: object };
  };
}

/** ZooKeeper's operation code of getData. */
const getData = 4;

type Callback<T> = (error: Error | Exception | null, value: T) => void;

class NodeSession implements Session {
  readonly #client: Client;
  readonly #internals: Internals["connectionManager"];
  readonly #onEvent: OnSessionEvent;
  readonly #frames: AnswerFrames;
  /** Ends waiting requests, because the library forgets a request when it throws at the answer. */
  readonly #asked = new Set<() => void>();
  #connected = false;
  #open = true;

  constructor(
    { addresses, sessionTimeoutMs, login, maxAnswerBytes = zooKeeperLimits.answerBytes.most }: NodeSessionOptions,
    onEvent: OnSessionEvent,
    { seen, servers }: Inherited,
  ) {
    this.#onEvent = onEvent;
    this.#client = createClient(addresses.join(), { sessionTimeout: sessionTimeoutMs, spinDelay: 500, retries: 0 });
    this.#internals = (this.#client as unknown as Internals).connectionManager;
    const take = this.#internals.onSocketData.bind(this.#internals);
    this.#frames = new AnswerFrames(maxAnswerBytes, (answer) => {
      if (this.#bringsData) checkLength(answer);
      take(answer);
    });
    this.#internals.onSocketData = (bytes) => this.#read(bytes);
    if (seen !== undefined) this.#internals.zxid = seen;
    if (servers !== undefined) this.#internals.servers = servers;
    if (login !== undefined) this.#client.addAuthInfo("digest", Buffer.from(login()));
    this.#client.on("state", (state: State) => this.#onState(state));
    this.#client.connect();
  }

  get seen(): Uint8Array {
    return this.#internals.zxid;
  }

  get servers(): readonly object[] {
    return this.#internals.servers;
  }

  children(path: string, onChange?: OnChange): Promise<NodeAnswer<readonly string[]>> {
    return this.#ask<string[], readonly string[]>(
      (answer) =>
        onChange === undefined
          ? this.#client.getChildren(path, answer)
          : this.#client.getChildren(path, onChange, answer),
      (names) => ({ type: "found", value: names }),
    );
  }

  data(path: string, onChange?: OnChange): Promise<NodeAnswer<string>> {
    return this.#ask<Buffer | undefined, string>(
      (answer) =>
        onChange === undefined ? this.#client.getData(path, answer) : this.#client.getData(path, onChange, answer),
      // The library gives undefined for a node without data, although its types say otherwise.
      (data) => ({ type: "found", value: data?.toString("utf8") ?? "" }),
    );
  }

  exists(path: string, onChange?: (event: Event) => void): Promise<NodeAnswer<true>> {
    return this.#ask<object | null, true>(
      (answer) =>
        onChange === undefined ? this.#client.exists(path, answer) : this.#client.exists(path, onChange, answer),
      (stat) => (stat === null ? { type: "missing" } : { type: "found", value: true }),
    );
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#connected) this.#leave();
    else this.#giveUp();
  }

  /** Whether the next answer is a greeting or data. Both contain a length. */
  get #bringsData(): boolean {
    return !this.#connected || this.#internals.pendingQueue[0]?.request.header.type === getData;
  }

  /** Closes the connection to a server that sends an invalid or too large answer. */
  #read(bytes: Buffer): void {
    try {
      this.#frames.push(bytes);
    } catch (thrown) {
      this.#frames.reset();
      this.#internals.socket?.destroy();
      if (this.#open) this.#onEvent("broken", errorFrom(thrown).message);
    }
  }

  #leave(): void {
    this.#client.close();
    this.#internals.socket?.destroySoon();
  }

  #giveUp(): void {
    this.#internals.findNextServer = () => {};
    this.#internals.socket?.destroy();
  }

  #forget(): void {
    for (const lose of this.#asked) lose();
    this.#frames.reset();
    this.#internals.pendingBuffer = null;
    Object.assign(this.#internals.watcherManager, { dataWatchers: {}, childWatchers: {}, existenceWatchers: {} });
  }

  #ask<Value, T>(
    send: (answer: Callback<Value>) => void,
    read: (value: Value) => NodeAnswer<T>,
  ): Promise<NodeAnswer<T>> {
    if (!this.#open) return Promise.resolve({ type: "lost" });
    return new Promise((settle) => {
      const lose = () => resolve({ type: "lost" });
      const resolve = (answer: NodeAnswer<T>) => {
        this.#asked.delete(lose);
        settle(answer);
      };
      this.#asked.add(lose);
      try {
        send((error, value) => resolve(error === null ? read(value) : failure(error)));
      } catch (thrown) {
        // The library rejects this path.
        resolve({ type: "refused", reason: errorFrom(thrown).message });
      }
    });
  }

  #onState(state: State): void {
    this.#connected = state === State.SYNC_CONNECTED || state === State.CONNECTED_READ_ONLY;
    if (state === State.DISCONNECTED) this.#forget();
    const event = this.#connected ? "connected" : events.get(state);
    if (this.#open && event !== undefined) this.#onEvent(event);
    // The session was still connecting when it was closed.
    else if (this.#connected) this.#leave();
  }
}

const events = new Map<State, SessionEvent>([
  [State.DISCONNECTED, "disconnected"],
  [State.EXPIRED, "expired"],
  [State.AUTH_FAILED, "unauthorized"],
]);

const lost = new Set([Exception.CONNECTION_LOSS, Exception.SESSION_EXPIRED, Exception.OPERATION_TIMEOUT]);

function failure(error: Error | Exception): NodeAnswer<never> {
  if (!("code" in error)) return { type: "refused", reason: error.message };
  if (error.code === Exception.NO_NODE) return { type: "missing" };
  return lost.has(error.code) ? { type: "lost" } : { type: "refused", reason: error.name };
}
