import type { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import type { Logger } from "../../lib/logger.ts";
import type { RolloutObserver } from "../../pilot/xds/rollout/staged-rollout.ts";

export interface RolloutObserverOptions {
  readonly metrics: Pick<PilotMetrics, "rolloutEvents" | "internalErrors">;
  readonly logger: Logger;
}

/** Reports the events of rollouts as metrics and log lines. */
export function createRolloutObserver({ metrics, logger }: RolloutObserverOptions): RolloutObserver {
  return {
    rolloutMoved(rollout, { type, wave, proxies, by, reason }) {
      metrics.rolloutEvents.inc({ event: type });
      const fields = { rollout, wave, proxies, ...(by !== "" && { by }), ...(reason !== "" && { reason }) };
      if (type === "halted") logger.warn(fields, "rollout halted");
      else logger.info({ ...fields, event: type }, "rollout moved");
    },
    rolloutFailed(rollout, cause) {
      metrics.internalErrors.inc();
      logger.error({ rollout, err: cause }, "rollout failed");
    },
  };
}
