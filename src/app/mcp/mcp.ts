import { McpMetrics } from "../../admin/metrics/mcp-metrics.ts";
import { type SnapshotGroup, snapshotStrategies } from "../../config/kind.ts";
import { debounce, immediate, type Strategy, type StrategyObserver } from "../../galley/snapshotter/strategy.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { sinkObserver } from "./observers.ts";
import type { RemoteGalleys } from "./remote-galleys.ts";
import { streamWatcher, watchedStream } from "./watched-stream.ts";

/** MCP in a process, in both directions: serving sinks and reading from sources. */
export interface Mcp {
  readonly metrics: McpMetrics;
  /** The snapshots for sinks. The cache costs nothing until a sink subscribes. */
  readonly cache: SnapshotCache;
  /** The publishing strategy. Sinks do not coalesce changes as our own Pilot does. */
  readonly strategyOf: (group: SnapshotGroup, observer?: StrategyObserver) => Strategy;
  readonly galleys: RemoteGalleys;
  /** Wraps a stream to a sink, to count and trace its messages. */
  readonly watched: (stream: GrpcStream) => GrpcStream;
}

export function mcpOf({
  options,
  clock,
  logs,
  metrics: registry,
  supervisor,
}: Pick<ProcessContext, "options" | "clock" | "logs" | "metrics" | "supervisor">): Mcp {
  const logger = logs.logger("mcp");
  const metrics = new McpMetrics(registry);
  const { mcpTrace: trace } = options;
  const watchedFor = (component: "galley" | "pilot") => {
    const watcher = supervisor.guardAll("mcp log", streamWatcher(metrics, logger, { component, trace }));
    return (stream: GrpcStream) => watchedStream(stream, watcher);
  };
  const times = { clock, quietMs: options.mcpDebounceAfterMs, maxWaitMs: options.mcpDebounceMaxMs };
  return {
    metrics,
    watched: watchedFor("galley"),
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
      watched: watchedFor("pilot"),
      onTaken: supervisor.guard("mcp log", () => metrics.reconnections.inc({ component: "pilot" })),
      onRefused: supervisor.guard("mcp log", () => metrics.refusedClients.inc()),
      sources: [],
    },
  };
}
