import type { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import type { Logger } from "../../lib/logger.ts";
import { spiffeId } from "../../lib/spiffe-id.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import type { SentResponse, StreamObserver } from "../../xds/observer.ts";
import { RejectionLog, type RejectionLogOptions } from "../log/rejection-log.ts";

export interface XdsObserverOptions extends RejectionLogOptions {
  readonly metrics: PilotMetrics;
}

/** Makes metrics and log lines of what the discovery server tells. */
export function createXdsObserver({ metrics, logger, originOf }: XdsObserverOptions): XdsObserver {
  const rejections = new RejectionLog({ logger, originOf });
  return { ...ofStreams(metrics, logger, rejections), ...ofPushes(metrics, logger, rejections) };
}

function ofStreams(metrics: PilotMetrics, logger: Logger, rejections: RejectionLog): StreamObserver<Proxy> {
  return {
    connected({ nodeId: node, certificates, identity }) {
      const known = identity && { identity: spiffeId(identity) };
      logger.info({ node, certificates: certificates.type, ...known }, "proxy connected");
    },
    disconnected: (node, reason) => logger.info({ node, reason }, "proxy disconnected"),
    refused(reason) {
      metrics.refusedStreams.inc();
      logger.warn({ reason }, "stream refused");
    },
    responseSent: (response) => noteResponse(response, metrics, logger),
    written: (ms) => metrics.sendTime.observe(ms / 1000),
    rejected(type, node, reason, subscription) {
      metrics.rejects.inc({ type: type.toLowerCase() });
      rejections.rejected(type, node, reason, subscription);
    },
    staleNonce: (type) => metrics.expiredNonces.inc({ type: type.toLowerCase() }),
    delayed: (type) => metrics.delayedPushes.inc({ type: type.toLowerCase() }),
    ackOverdue(type, node, delayed) {
      if (delayed) metrics.delayedPushTimeouts.inc({ type: type.toLowerCase() });
      logger.warn({ type, node }, "acknowledgement overdue");
    },
    unknownType: (type, node) => logger.debug({ type, node }, "type not served"),
    streamFailed(node, cause) {
      metrics.internalErrors.inc();
      logger.error({ node, err: cause }, "stream failed");
    },
    converged: (_node, ms) => metrics.convergence.observe(ms / 1000),
  };
}

function ofPushes(
  metrics: PilotMetrics,
  logger: Logger,
  rejections: RejectionLog,
): Omit<XdsObserver, keyof StreamObserver<Proxy>> {
  return {
    pushStarted({ debouncedMs, durationMs, reasons }) {
      rejections.pushStarted();
      metrics.debounce.observe(debouncedMs / 1000);
      metrics.contextInit.observe(durationMs / 1000);
      for (const [type, count] of reasons) metrics.pushTriggers.inc({ type }, count);
    },
    pushFailed(cause) {
      metrics.contextErrors.inc();
      logger.error({ err: cause }, "push failed");
    },
    generatorFailed({ type, part, cause }) {
      metrics.internalErrors.inc();
      logger.error({ type, part, err: cause }, "generator failed");
    },
    dequeued: (waitedMs) => metrics.queueTime.observe(waitedMs / 1000),
  };
}

function noteResponse({ typeUrl, ...response }: SentResponse, metrics: PilotMetrics, logger: Logger): void {
  const type = response.type.toLowerCase();
  metrics.pushes.inc({ type });
  metrics.pushTime.observe({ type }, response.ms / 1000);
  metrics.configSize.observe({ type: typeUrl }, response.bytes);
  for (const reason of response.repeats) metrics.repeatedResponses.inc({ type, reason });
  // Endpoints come and go all day: nobody reads a line for each.
  const endpointsOnly = response.cause.every((cause) => cause === "endpoint");
  if (endpointsOnly) logger.debug(response, "push");
  else logger.info(response, "push");
}
