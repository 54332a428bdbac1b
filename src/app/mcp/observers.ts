import type { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { type CloseReason, GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { whyClosed } from "../../lib/grpc/why-closed.ts";
import type { Logger } from "../../lib/logger.ts";
import { mcpCollection } from "../../mcp/collections.ts";
import type { SinkObserver, SourceObserver } from "../../mcp/mcp-observer.ts";
import { statusName } from "./status-name.ts";

const breakage = { code: String(GrpcStatus.UNAVAILABLE) };

/** Reports requests of sinks and responses to them as metrics and log lines, never with a body. */
export function sourceObserver(metrics: McpMetrics, logger: Logger): SourceObserver {
  const component = "galley";
  return {
    opened: (stream) => logger.info(stream, "mcp sink connected"),
    closed(stream, reason) {
      if (reason.type === "broken") metrics.receiveFailures.inc({ component, ...breakage });
      logger.info({ ...stream, reason: endOf(reason) }, "mcp sink disconnected");
    },
    requested(request) {
      metrics.requestSizes.observe({ component, collection: labelOf(request.collection) }, request.bytes);
      logger.debug(request, "mcp request");
    },
    pushed(push) {
      metrics.pushSizes.observe({ collection: push.collection }, push.bytes);
      logger.debug(push, "mcp push");
    },
    acked(answer) {
      const { collection, ms } = answer;
      metrics.acks.inc({ component, collection });
      metrics.ackTime.observe({ collection }, ms / 1000);
      logger.debug(answer, "mcp push acknowledged");
    },
    nacked(answer, refusal) {
      const { collection } = answer;
      metrics.nacks.inc({ component, collection, code: statusName(refusal.code) });
      logger.warn({ ...answer, code: statusName(refusal.code), reason: refusal.message }, "mcp push rejected");
    },
    stale(answer, refusal) {
      const collection = labelOf(answer.collection);
      metrics.staleAnswers.inc({ collection });
      if (refusal !== undefined) metrics.nacks.inc({ component, collection, code: statusName(refusal.code) });
      logger.debug(answer, "mcp answer with stale nonce");
    },
    unknownCollection: (request) => logger.warn(request, "mcp collection not served"),
    throttled(request) {
      metrics.throttled.inc();
      logger.debug(request, "mcp request delayed");
    },
    ackOverdue: (push, ms) => logger.warn({ ...push, ms }, "mcp acknowledgement overdue"),
    failed: (stream, cause) => logger.error({ ...stream, err: cause }, "mcp stream failed"),
  };
}

/** The same for the streams from a remote Galley. */
export function sinkObserver(metrics: McpMetrics, logger: Logger): SinkObserver {
  const component = "pilot";
  return {
    attached: (stream) => logger.debug(stream, "mcp source connected"),
    detached(stream, reason) {
      if (reason.type === "broken") metrics.receiveFailures.inc({ component, ...breakage });
      if (reason.type === "client") logger.debug(stream, "mcp source disconnected");
      else logger.warn({ ...stream, reason: whyClosed(reason) }, "mcp source lost");
    },
    received: (push) => logger.debug(push, "mcp push"),
    acked(push) {
      metrics.acks.inc({ component, collection: push.collection });
      logger.debug({ collection: push.collection, nonce: push.nonce }, "mcp push acknowledged");
    },
    nacked(push, { code, message }, rejected) {
      const { collection } = push;
      metrics.nacks.inc({ component, collection, code: statusName(code) });
      logger.warn({ ...push, code: statusName(code), reason: message, rejected }, "mcp push rejected");
    },
  };
}

/** Unknown collections share one label. Otherwise a client could fill our memory with labels. */
function labelOf(collection: string): string {
  return mcpCollection(collection) === undefined ? "unknown" : collection;
}

/** The reason from the server's point of view. */
export function endOf(reason: CloseReason): string {
  return reason.type === "broken" ? reason.cause.message : `ended by the ${reason.type}`;
}
