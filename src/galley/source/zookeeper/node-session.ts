import type { Socket } from "node:net";
import { type Client, createClient, type Event, Exception, State } from "node-zookeeper-client";
import type { Answer, OnChange, OpenSession, Session, SessionEvent } from "./session.ts";

export interface NodeSessionOptions {
  /** `HOST:PORT`. */
  readonly addresses: readonly string[];
  readonly sessionTimeoutMs: number;
}

/** Sessions over the client library `node-zookeeper-client`; what it does not do itself is done here and in the keeper. */
export function nodeSessions(options: NodeSessionOptions): OpenSession {
  return (onEvent, seen) => new NodeSession(options, onEvent, seen);
}

/**
 * What the library keeps to itself and we need. It has no way to end a client that is not connected, which would go on
 * dialling for ever; and none to say what an earlier session has seen.
 */
interface Internals {
  readonly connectionManager: { zxid: Uint8Array; readonly socket?: Socket };
}

type Callback<T> = (error: Error | Exception | null, value: T) => void;

class NodeSession implements Session {
  readonly #client: Client;
  readonly #onEvent: (event: SessionEvent) => void;
  #open = true;

  constructor(
    { addresses, sessionTimeoutMs }: NodeSessionOptions,
    onEvent: (event: SessionEvent) => void,
    seen?: Uint8Array,
  ) {
    this.#onEvent = onEvent;
    this.#client = createClient(addresses.join(), { sessionTimeout: sessionTimeoutMs, spinDelay: 500, retries: 0 });
    if (seen !== undefined) this.#internals.connectionManager.zxid = seen;
    this.#client.on("state", (state: State) => this.#hear(state));
    this.#client.connect();
  }

  get seen(): Uint8Array {
    return this.#internals.connectionManager.zxid;
  }

  children(path: string, onChange?: OnChange): Promise<Answer<readonly string[]>> {
    return this.#ask<string[], readonly string[]>(
      (answer) =>
        onChange === undefined
          ? this.#client.getChildren(path, answer)
          : this.#client.getChildren(path, onChange, answer),
      (names) => ({ type: "found", value: names }),
    );
  }

  data(path: string, onChange?: OnChange): Promise<Answer<string>> {
    return this.#ask<Buffer | undefined, string>(
      (answer) =>
        onChange === undefined ? this.#client.getData(path, answer) : this.#client.getData(path, onChange, answer),
      // The library has none for a node without data, whatever its types say.
      (data) => ({ type: "found", value: data?.toString("utf8") ?? "" }),
    );
  }

  exists(path: string, onChange?: (event: Event) => void): Promise<Answer<true>> {
    return this.#ask<object | null, true>(
      (answer) =>
        onChange === undefined ? this.#client.exists(path, answer) : this.#client.exists(path, onChange, answer),
      (stat) => (stat === null ? { type: "missing" } : { type: "found", value: true }),
    );
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#client.close();
    } catch {
      // It writes to a socket that it may not have yet; by then it knows that it shall not dial again.
    }
    this.#internals.connectionManager.socket?.destroySoon();
  }

  get #internals(): Internals {
    return this.#client as unknown as Internals;
  }

  #ask<Value, T>(send: (answer: Callback<Value>) => void, read: (value: Value) => Answer<T>): Promise<Answer<T>> {
    if (!this.#open) return Promise.resolve({ type: "lost" });
    return new Promise((resolve) => {
      send((error, value) => resolve(error === null ? read(value) : failure(error)));
    });
  }

  #hear(state: State): void {
    if (!this.#open) return;
    if (state === State.SYNC_CONNECTED || state === State.CONNECTED_READ_ONLY) this.#onEvent("connected");
    else if (state === State.DISCONNECTED) this.#onEvent("disconnected");
    else if (state === State.EXPIRED) this.#onEvent("expired");
    else if (state === State.AUTH_FAILED) this.#onEvent("unauthorized");
  }
}

const lost = new Set([Exception.CONNECTION_LOSS, Exception.SESSION_EXPIRED, Exception.OPERATION_TIMEOUT]);

function failure(error: Error | Exception): Answer<never> {
  if (!("code" in error)) return { type: "refused", reason: String(error) };
  if (error.code === Exception.NO_NODE) return { type: "missing" };
  return lost.has(error.code) ? { type: "lost" } : { type: "refused", reason: error.name };
}
