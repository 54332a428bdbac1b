import type { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import type { Logger } from "../../lib/logger.ts";
import type { QuarantineObserver } from "../../pilot/xds/quarantine/observer.ts";
import { idWithPlace, type OriginOf } from "../log/object-place.ts";

export interface QuarantineObserverOptions {
  readonly metrics: Pick<PilotMetrics, "quarantine" | "internalErrors">;
  readonly logger: Logger;
  readonly originOf: OriginOf;
}

/** Reports the events of the quarantine as metrics and log lines. */
export function createQuarantineObserver(options: QuarantineObserverOptions): QuarantineObserver {
  const { logger, originOf } = options;
  const { quarantine: metrics, internalErrors } = options.metrics;
  return {
    objectQuarantined({ id, reason, node, instead }, { name: proxies }) {
      metrics.quarantined.inc();
      const object = idWithPlace(id, originOf);
      logger.warn({ object, reason, proxies, node, instead: instead.type }, "object quarantined");
    },
    objectReleased(id, { name: proxies }) {
      metrics.releases.inc();
      logger.info({ object: idWithPlace(id, originOf), proxies }, "object released from quarantine");
    },
    searchEnded({ proxies, ...search }) {
      metrics.probes.inc(search.probes);
      metrics.searches.inc({ result: search.inconclusive ? "inconclusive" : "found" });
      const fields = { ...search, proxies: proxies.name };
      if (search.inconclusive) logger.warn(fields, "no object found that explains the rejection");
      else logger.info(fields, "search for refused objects ended");
    },
    searchFailed(cause) {
      internalErrors.inc();
      metrics.searches.inc({ result: "failed" });
      logger.error({ err: cause }, "search for refused objects failed");
    },
  };
}
