import { Graph } from "../collection/graph.ts";
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
  /** Where else all groups go, at another pace. */
  readonly elsewhere?: Omit<PublicationsOptions, "processor">;
  /** Who looks at everything there is, beside the road. */
  readonly analysis?: Pick<Publication, "distributor" | "strategy">;
  readonly onSnapshotError: (error: unknown) => void;
}

export type Galley = ReturnType<typeof buildGalley>;

/** The first half of the road: Source → Processor → Snapshotter → Distributor. */
export function buildGalley({ sources, settings, elsewhere, analysis, onSnapshotError, ...publishing }: GalleyOptions) {
  const galley = new Graph();
  const processor = new Processor({ graph: galley, sources, transforms: transformsFor(kinds, settings) });
  const group = "localAnalysis";
  const publications = [
    ...publicationsTo({ processor, ...publishing }),
    ...(elsewhere === undefined ? [] : publicationsTo({ processor, ...elsewhere })),
    // Last, so that whoever is served has the snapshots of a commit before anybody looks at them.
    ...(analysis === undefined ? [] : [{ group, collections: processor.outputsOf(group), ...analysis } as const]),
  ];
  const snapshotter = new Snapshotter({ graph: galley, publications, onError: onSnapshotError });
  return { galley, processor, snapshotter };
}
