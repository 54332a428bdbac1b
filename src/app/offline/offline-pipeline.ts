import type { ConfigId } from "../../config/config.ts";
import type { Source } from "../../galley/source/source.ts";
import type { Options } from "../options/options.ts";
import { buildPipeline, type Pipeline, protocolDefaults } from "../pipeline.ts";
import { systemClock } from "../process/system-clock.ts";
import { meshSources } from "../sources/sources.ts";
import { leavingOut } from "./left-out.ts";
import { observerOfFailures } from "./observer-of-failures.ts";
import { type SourceInput, sourceOf } from "./source-of.ts";

export interface OfflineOptions
  extends Pick<Options, "mesh" | "domain" | "clusterId">,
    Partial<Pick<Options, "networks" | "scopeGatewayToNamespace" | "workloadHealth" | "allowUnenforced">> {
  /** In order of precedence: directories, files, and texts in memory. */
  readonly inputs: readonly SourceInput[];
  /** Further sources, before the inputs. */
  readonly sources?: readonly Source[];
  /** Objects that are left out, as if they were deleted. */
  readonly without?: ReadonlySet<ConfigId>;
}

/** The pipeline of a server, without streams. `wrap` may put something between a source and the pipeline. */
export async function offlinePipeline(
  { inputs, sources = [], mesh, networks, allowUnenforced, without, ...settings }: OfflineOptions,
  wrap = (source: Source) => source,
): Promise<Pipeline> {
  const named = await Promise.all([...new Set(inputs)].map((input) => sourceOf(input)));
  return buildPipeline({
    sources: [...meshSources({ mesh, networks }, systemClock), ...sources, ...named]
      .map((source) => (without === undefined ? source : leavingOut(source, without)))
      .map(wrap),
    settings,
    allowUnenforced,
    clock: systemClock,
    turn: () => Promise.resolve(),
    debounce: { quietMs: 0, maxWaitMs: 0 },
    // A failing generator is a bug and must throw at once.
    observer: observerOfFailures(raise),
    onUpdate: () => {},
    onSnapshotError: raise,
    protocol: protocolDefaults,
  });
}

function raise(error: unknown): never {
  throw error;
}
