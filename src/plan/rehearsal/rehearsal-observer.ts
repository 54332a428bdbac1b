import type { Client } from "../../xds/resource-source.ts";
import type { SentResponse, StreamObserver } from "../../xds/stream-observer.ts";

const ignore = () => undefined;

/** Observes a rehearsed stream: nobody counts it, and a failure is the caller's. */
export function rehearsalObserver(onSent: (response: SentResponse) => void): StreamObserver<Client> {
  return {
    connected: ignore,
    disconnected: ignore,
    refused: ignore,
    responseSent: onSent,
    written: ignore,
    rejected: ignore,
    staleNonce: ignore,
    delayed: ignore,
    released: ignore,
    sendFailed: ignore,
    ackOverdue: ignore,
    unknownType: ignore,
    streamFailed(_node, cause) {
      throw cause;
    },
    converged: ignore,
  };
}
