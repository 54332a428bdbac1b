import type { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { type CloseReason, GrpcStatus, type GrpcStream, type Peer } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import { endOf } from "./observers.ts";

/** Observes a stream of MCP below the meaning of its messages. */
export interface StreamWatcher {
  opened(peer: Peer): void;
  received(peer: Peer, bytes: number): void;
  sent(peer: Peer, bytes: number): void;
  /** `unsent` when something that was sent had not left, on a stream that had worked before. */
  closed(peer: Peer, reason: CloseReason, unsent: boolean): void;
}

/** Counts what could not be sent. With `trace` every message is one line, in and out: never its body. */
export function streamWatcher(
  metrics: McpMetrics,
  logger: Logger,
  { component, trace }: { readonly component: "galley" | "pilot"; readonly trace: boolean },
): StreamWatcher {
  const code = String(GrpcStatus.UNAVAILABLE);
  const line = ({ address: peer }: Peer, fields: object, words: string) => {
    if (trace) logger.info({ component, peer, ...fields }, words);
  };
  return {
    opened: (peer) => line(peer, {}, "mcp stream opened"),
    received: (peer, bytes) => line(peer, { direction: "in", bytes }, "mcp message"),
    sent: (peer, bytes) => line(peer, { direction: "out", bytes }, "mcp message"),
    closed(peer, reason, unsent) {
      if (unsent && reason.type === "broken") metrics.sendFailures.inc({ component, code });
      line(peer, { reason: endOf(reason), unsent }, "mcp stream ended");
    },
  };
}

/** The same stream, watched. */
export function watchedStream(stream: GrpcStream, watcher: StreamWatcher): GrpcStream {
  let worked = false;
  let unsent = false;
  watcher.opened(stream.peer);
  return {
    get peer() {
      return stream.peer;
    },
    get closed() {
      return stream.closed;
    },
    get queued() {
      return stream.queued;
    },
    metadata: (key) => stream.metadata?.(key),
    attach: (handler) =>
      stream.attach({
        onMessage(bytes) {
          worked = true;
          watcher.received(stream.peer, bytes.length);
          handler.onMessage(bytes);
        },
        onFlushed() {
          unsent = false;
          handler.onFlushed();
        },
        onClose(reason) {
          handler.onClose(reason);
          watcher.closed(stream.peer, reason, worked && unsent);
        },
      }),
    send(prefix, segments) {
      unsent = true;
      const bytes = segments.reduce((sum, segment) => sum + segment.length, prefix.length);
      watcher.sent(stream.peer, bytes);
      stream.send(prefix, segments);
    },
    end: (status, message, hints) => stream.end(status, message, hints),
  };
}
