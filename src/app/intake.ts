import { GalleyMetrics } from "../admin/metrics/galley-metrics.ts";
import { BoundedSource } from "../galley/source/room/bounded-source.ts";
import type { Source } from "../galley/source/source.ts";
import { analysisOf } from "./analysis/analysis.ts";
import { GalleyMeter } from "./gauges/galley-meter.ts";
import { LatestSnapshots } from "./latest-snapshots.ts";
import { mcpOf } from "./mcp/mcp.ts";
import type { ProcessContext } from "./parts/process-part.ts";
import { groups } from "./publications.ts";
import { ledgersOf } from "./sources/ledgers-of.ts";
import { SourceSet } from "./sources/source-set.ts";
import { SourceWatch } from "./sources/source-watch.ts";
import { meshSources, sourceMaker } from "./sources/sources.ts";

/** The fixed sources of a process. All others come from the options. */
export interface FixedSources {
  /** Sources of the embedding program. They win name clashes. */
  readonly own: readonly Source[];
  /** The source of registered machines. It loses name clashes. */
  readonly registered?: readonly Source[];
  /** Whether the process reads Secrets, because it serves proxies. */
  readonly secrets: boolean;
  /** Observes the events that the pipeline gets, if set. */
  readonly observe?: ((source: Source) => Source) | undefined;
}

/** The start of every pipeline: the sources, and the observers of their events and of the snapshots. */
export function intakeOf(
  context: ProcessContext,
  { own, registered = [], secrets, observe = (source) => source }: FixedSources,
) {
  const { options, clock, logs, metrics, supervisor } = context;
  const mcp = mcpOf(context);
  const meter = new GalleyMeter(new GalleyMetrics(metrics), clock, supervisor);
  const logger = logs.logger("source");
  const watch = new SourceWatch(clock, logger);
  const ledgers = ledgersOf(context.load);
  const sources = new SourceSet({
    urls: options.sources,
    make: sourceMaker(options, clock, mcp.galleys, { secrets, ledgers }),
    first: [...own, ...meshSources(options, clock)],
    last: registered,
    observe: (source) => {
      const bounded = new BoundedSource(source, { clock, ledger: ledgers.of(source.name) });
      return observe(watch.watched(meter.metered(bounded)));
    },
    logger,
  });
  const snapshots = new LatestSnapshots(groups);
  return { sources, ledgers, watch, meter, snapshots, analysis: analysisOf(context, sources), mcp };
}
