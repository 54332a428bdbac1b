import type { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import type { Logger } from "../../lib/logger.ts";
import { spiffeId } from "../../lib/spiffe-id.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import type { QuarantineObserver } from "../../pilot/xds/quarantine/observer.ts";
import type { RolloutObserver } from "../../pilot/xds/rollout/staged-rollout.ts";
import type { SentResponse, StreamObserver } from "../../xds/stream-observer.ts";
import { PushLog } from "../log/push-log.ts";
import { RejectionLog, type RejectionLogOptions } from "../log/rejection-log.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import { createQuarantineObserver } from "./quarantine-observer.ts";
import { createRolloutObserver } from "./rollout-observer.ts";

export interface XdsObserverOptions extends RejectionLogOptions {
  readonly metrics: PilotMetrics;
  readonly supervisor: Supervisor<SupervisedPart>;
}

/** Reports the events of the discovery server as metrics and log lines. */
export function createXdsObserver(options: XdsObserverOptions): XdsObserver {
  const { metrics, logger, originOf, supervisor } = options;
  const rejections = new RejectionLog({ logger, originOf });
  const pushes = new PushLog({ logger, clock: supervisor.clockFor("xds log") });
  const observer = {
    ...ofStreams(metrics, logger, { rejections, pushes }),
    ...ofPushes(metrics, logger),
    ...createQuarantineObserver({ metrics, logger, originOf }),
    ...createRolloutObserver({ metrics, logger }),
  };
  const guarded = supervisor.guardAll("xds log", observer);
  return {
    ...guarded,
    pushStarted(push) {
      // Recorded even while the part is paused: a rejection of this push is a new warning.
      rejections.pushStarted();
      guarded.pushStarted(push);
    },
  };
}

interface StreamLogs {
  readonly rejections: RejectionLog;
  readonly pushes: PushLog;
}

function ofStreams(metrics: PilotMetrics, logger: Logger, { rejections, pushes }: StreamLogs): StreamObserver<Proxy> {
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
    responseSent({ typeUrl, ...response }) {
      countResponse(response, typeUrl, metrics);
      pushes.sent(response);
    },
    written: (ms) => metrics.sendTime.observe(ms / 1000),
    rejected(type, node, reason, subscription) {
      metrics.rejects.inc({ type: type.toLowerCase() });
      rejections.rejected(type, node, reason, subscription);
    },
    staleNonce: (type) => metrics.expiredNonces.inc({ type: type.toLowerCase() }),
    delayed(type, node) {
      metrics.delayedPushes.inc({ type: type.toLowerCase() });
      logger.debug({ type, node }, "push queued");
    },
    released: (type, node) => logger.debug({ type, node }, "push dequeued"),
    sendFailed(type, node, timedOut) {
      metrics.pushes.inc({ type: `${type.toLowerCase()}_senderr` });
      if (timedOut) metrics.writeTimeouts.inc();
      logger.debug({ type, node, timedOut }, "response not sent");
    },
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
): Omit<XdsObserver, keyof StreamObserver<Proxy> | keyof QuarantineObserver | keyof RolloutObserver> {
  return {
    pushStarted({ debouncedMs, durationMs, reasons }) {
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

function countResponse(response: Omit<SentResponse, "typeUrl">, typeUrl: string, metrics: PilotMetrics): void {
  const type = response.type.toLowerCase();
  metrics.pushes.inc({ type });
  metrics.pushTime.observe({ type }, response.ms / 1000);
  metrics.configSize.observe({ type: typeUrl }, response.bytes);
  for (const reason of response.repeats) metrics.repeatedResponses.inc({ type, reason });
}
