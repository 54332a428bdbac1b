import type { Http2Session } from "node:http2";

export interface KeepAliveOptions {
  /** Time between an answered ping and the next one. */
  readonly pingIntervalMs: number;
  /** How long a ping answer may take before the peer counts as dead. */
  readonly pingTimeoutMs: number;
  /** Whether to skip the next ping. Servers of grpc-go close a connection that is pinged without an open call. */
  readonly isIdle?: () => boolean;
}

/**
 * Pings the peer as long as the session lives. Destroys the session when an answer is missing. Otherwise a peer that
 * vanished without closing would stay connected, and the server would push to it forever.
 */
export function keepAlive(session: Http2Session, options: KeepAliveOptions): void {
  const { pingIntervalMs, pingTimeoutMs, isIdle = () => false } = options;
  let timer: NodeJS.Timeout;

  const rest = () => {
    timer = setTimeout(ping, pingIntervalMs).unref();
  };
  const ping = () => {
    if (session.destroyed) return;
    if (isIdle()) return rest();
    let answered = false;
    const giveUp = () => {
      if (!answered) session.destroy(new Error(`no answer to a ping within ${pingTimeoutMs} ms`));
    };
    // If this process itself was paused, the timer fires before the answer is read. `setImmediate` lets the answer come
    // first.
    timer = setTimeout(() => setImmediate(giveUp), pingTimeoutMs).unref();
    session.ping((error) => {
      answered = true;
      clearTimeout(timer);
      if (error === null) rest();
    });
  };

  rest();
  session.once("close", () => clearTimeout(timer));
}
