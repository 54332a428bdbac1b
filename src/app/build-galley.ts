import { Graph } from "../collection/graph.ts";
import type { SnapshotGroup } from "../config/kind.ts";
import { kinds } from "../config/kinds.ts";
import { Processor } from "../galley/processor/processor.ts";
import { type TransformSettings, transformsFor } from "../galley/processor/transforms.ts";
import { type Publication, Snapshotter } from "../galley/snapshotter/snapshotter.ts";
import type { Source } from "../galley/source/source.ts";
import { type PublicationsOptions, publicationsTo } from "./publications.ts";

export interface GalleyOptions extends Omit<PublicationsOptions, "processor"> {
  /** In order of precedence. */
  readonly sources: readonly Source[];
  readonly settings?: TransformSettings;
  /** The destination of all groups for MCP sinks, with its own strategy. */
  readonly mcpOutput?: Omit<PublicationsOptions, "processor">;
  /** Receives Secrets and ConfigMaps. Only Pilot in the same process does. */
  readonly credentials?: Pick<Publication, "distributor" | "strategy">;
  /** Receives everything for analysis, outside the pipeline. */
  readonly analysis?: Pick<Publication, "distributor" | "strategy">;
  readonly onSnapshotError: (error: unknown) => void;
  /** Reports unenforced objects as warnings instead of errors. */
  readonly allowUnenforced?: boolean | undefined;
}

export type Galley = ReturnType<typeof buildGalley>;

/** Builds the first half of the pipeline: Source → Processor → Snapshotter → Distributor. */
export function buildGalley({
  sources,
  settings,
  mcpOutput,
  credentials,
  analysis,
  onSnapshotError,
  allowUnenforced = false,
  ...publishing
}: GalleyOptions) {
  const galley = new Graph();
  const transforms = transformsFor(kinds, settings);
  const processor = new Processor({ graph: galley, sources, transforms, allowUnenforced });
  const local = (group: SnapshotGroup, to?: Pick<Publication, "distributor" | "strategy">) =>
    to === undefined ? [] : [{ group, collections: processor.outputsOf(group), ...to }];
  const publications = [
    ...publicationsTo({ processor, ...publishing }),
    ...(mcpOutput === undefined ? [] : publicationsTo({ processor, ...mcpOutput })),
    ...local("credentials", credentials),
    // Last, so that clients get the snapshots of a commit before analysis sees them.
    ...local("localAnalysis", analysis),
  ];
  const snapshotter = new Snapshotter({ graph: galley, publications, onError: onSnapshotError });
  return { galley, processor, snapshotter };
}
