import type { XdsObserver } from "../../pilot/xds/observer.ts";

/** Reports bugs of the pipeline alone: outside of a server nobody counts. */
export function observerOfFailures(failed: (cause: Error) => void): XdsObserver {
  return {
    connected: () => {},
    disconnected: () => {},
    refused: () => {},
    responseSent: () => {},
    rejected: () => {},
    staleNonce: () => {},
    delayed: () => {},
    released: () => {},
    sendFailed: () => {},
    ackOverdue: () => {},
    unknownType: () => {},
    pushStarted: () => {},
    pushFailed: failed,
    streamFailed: (_node, cause) => failed(cause),
    generatorFailed: ({ cause }) => failed(cause),
    converged: () => {},
    written: () => {},
    dequeued: () => {},
    rolloutMoved: () => {},
    rolloutFailed: (_id, cause) => failed(cause),
    objectQuarantined: () => {},
    objectReleased: () => {},
    searchEnded: () => {},
    searchFailed: failed,
  };
}
