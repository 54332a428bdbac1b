import { JuteWriter } from "./jute.ts";

/** ZooKeeper's numbers of the requests that a reader of a registry needs. */
const operations = {
  exists: 3,
  data: 4,
  ping: 11,
  children: 12,
  login: 100,
  watchTree: 106,
  closeSession: -11,
} as const;

/** Numbers of answers that do not follow the order of requests. */
export const fixedNumbers = { watchEvent: -1, ping: -2, login: -4 } as const;

/** The kind of watch that stays until the connection ends, and covers all nodes below. */
const persistentRecursive = 1;

/** A session of an earlier connection, or a new one with the id 0. */
export interface SessionIdentity {
  readonly id: bigint;
  readonly password: Uint8Array;
}

export const noSession: SessionIdentity = { id: 0n, password: Buffer.alloc(16) };

export interface Hello {
  /** The last transaction that the client has seen. A server that lags behind it closes the connection. */
  readonly seen: bigint;
  readonly sessionTimeoutMs: number;
  readonly session: SessionIdentity;
}

/** The first message of a connection. Servers that have lost the others (`read-only`) are not accepted. */
export function helloRequest({ seen, sessionTimeoutMs, session }: Hello): Buffer {
  const writer = new JuteWriter().int(0).long(seen).int(sessionTimeoutMs);
  return writer.long(session.id).buffer(session.password).flag(false).finish();
}

/** A question about a node. With `watched`, the server reports the next change. */
export function nodeRequest(
  number: number,
  {
    what,
    path,
    watched,
  }: { readonly what: "exists" | "data" | "children"; readonly path: string; readonly watched: boolean },
): Buffer {
  return headed(number, operations[what]).text(path).flag(watched).finish();
}

export function watchTreeRequest(number: number, path: string): Buffer {
  return headed(number, operations.watchTree).text(path).int(persistentRecursive).finish();
}

/** `login` is `NAME:PASSWORD`. */
export function loginRequest(login: string): Buffer {
  return headed(fixedNumbers.login, operations.login).int(0).text("digest").text(login).finish();
}

export function pingRequest(): Buffer {
  return headed(fixedNumbers.ping, operations.ping).finish();
}

export function closeRequest(number: number): Buffer {
  return headed(number, operations.closeSession).finish();
}

function headed(number: number, operation: number): JuteWriter {
  return new JuteWriter().int(number).int(operation);
}
