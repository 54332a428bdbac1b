import { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { type SnapshotGroup, snapshotStrategies } from "../../config/kind.ts";
import { debounce, immediate, type Strategy, type StrategyObserver } from "../../galley/snapshotter/strategy.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import type { Ground } from "../parts/part.ts";
import { sinkObserver } from "./observers.ts";
import type { RemoteGalleys } from "./remote-galleys.ts";

/** MCP in a process, both ways: what it has for others, and whom it reads from. */
export interface Mcp {
  readonly metrics: McpMetrics;
  /** What may leave. It costs nothing until somebody asks. */
  readonly cache: SnapshotCache;
  /** When it leaves: sinks do not coalesce as our own Pilot does. */
  readonly strategyOf: (group: SnapshotGroup, observer?: StrategyObserver) => Strategy;
  readonly galleys: RemoteGalleys;
}

export function mcpOf({
  options,
  clock,
  logs,
  metrics: registry,
  supervisor,
}: Pick<Ground, "options" | "clock" | "logs" | "metrics" | "supervisor">): Mcp {
  const logger = logs.logger("mcp");
  const metrics = new McpMetrics(registry);
  const times = { clock, quietMs: options.mcpDebounceAfterMs, maxWaitMs: options.mcpDebounceMaxMs };
  return {
    metrics,
    cache: new SnapshotCache({
      onRefused: (collection, error) => logger.error({ collection, err: error }, "object not sent over mcp"),
    }),
    strategyOf: (group, observer) =>
      snapshotStrategies[group] === "debounce"
        ? debounce({ ...times, ...(observer && { observer }) })
        : immediate(observer),
    galleys: {
      logger,
      observer: supervisor.guardAll("mcp log", sinkObserver(metrics, logger)),
      onTaken: supervisor.guard("mcp log", () => metrics.reconnections.inc({ component: "pilot" })),
      onStranger: supervisor.guard("mcp log", () => metrics.strangers.inc()),
      sources: [],
    },
  };
}
