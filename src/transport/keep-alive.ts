import type { Http2Session } from "node:http2";

export interface KeepAliveOptions {
  /** Time between an answered ping and the next one. */
  readonly pingIntervalMs: number;
  /** How long an answer may take before the peer counts as dead. */
  readonly pingTimeoutMs: number;
}

/**
 * Pings the peer for as long as the session lives and destroys the session when an answer does not come: one that
 * vanished without closing its connection would otherwise be held, and pushed to or waited for, for ever.
 */
export function keepAlive(session: Http2Session, { pingIntervalMs, pingTimeoutMs }: KeepAliveOptions): void {
  let timer: NodeJS.Timeout;

  const rest = () => {
    timer = setTimeout(ping, pingIntervalMs).unref();
  };
  const ping = () => {
    if (session.destroyed) return;
    let answered = false;
    const giveUp = () => {
      if (!answered) session.destroy(new Error(`no answer to a ping within ${pingTimeoutMs} ms`));
    };
    // When this process itself was stopped, the timer is due before the answer was read: let it come in first.
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
