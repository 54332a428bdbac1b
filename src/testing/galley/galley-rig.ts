import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { Processor } from "../../galley/processor/processor.ts";
import type { Transformer } from "../../galley/processor/transformer.ts";
import { transformsFor } from "../../galley/processor/transforms.ts";
import type { Distributor } from "../../galley/snapshotter/distributor.ts";
import { type Publication, Snapshotter } from "../../galley/snapshotter/snapshotter.ts";
import { debounce, immediate } from "../../galley/snapshotter/strategy.ts";
import { OptionalSource } from "../../galley/source/optional-source.ts";
import type { Source } from "../../galley/source/source.ts";
import { FakeClock } from "../fake-clock.ts";
import { poisonLabel, storyCollection, storyCollections, storyTable } from "./galley-objects.ts";
import { ManualSource } from "./manual-source.ts";

/** Seams for planted faults. Each may change the value that passes through. */
export interface Seams {
  readonly graph?: (graph: Graph) => void;
  readonly source?: (source: Source) => Source;
  readonly transforms?: (transforms: readonly Transformer[]) => readonly Transformer[];
  readonly publication?: (publication: Publication) => Publication;
}

export interface GalleyRig {
  readonly clock: FakeClock;
  readonly graph: Graph;
  readonly processor: Processor;
  readonly snapshotter: Snapshotter;
  /** In order of precedence; the last is optional. */
  readonly sources: readonly ManualSource[];
}

/** How long the other sources wait for the optional source. */
export const optionalWaitMs = 1000;
export const echoCollection = "test/echo";
const groups = ["default", "syntheticServiceEntry"] as const;

/**
 * A complete Galley over three sources with two destinations. One gets snapshots at once, the other after a debounce.
 */
export function galleyRig(prompt: Distributor, patient: Distributor, seams: Seams = {}): GalleyRig {
  const clock = new FakeClock();
  const graph = new Graph();
  seams.graph?.(graph);
  const sources = ["files", "registry", "late"].map((name) => new ManualSource(name, storyCollections));
  const heard = sources.map((source) => seams.source?.(source) ?? source);
  const transforms = [...transformsFor(storyTable), echoTransform];
  const processor = new Processor({
    graph,
    sources: heard.map((source, index) => (index === 2 ? optional(source, clock) : source)),
    transforms: seams.transforms?.(transforms) ?? transforms,
  });
  const publications = groups.flatMap((group) => {
    const collections = processor.outputsOf(group);
    return [
      { group, collections, strategy: immediate(), distributor: prompt },
      { group, collections, strategy: debounce({ clock }), distributor: patient },
    ];
  });
  const snapshotter = new Snapshotter({
    graph,
    publications: publications.map((publication) => seams.publication?.(publication) ?? publication),
    onError: (error) => {
      throw error;
    },
  });
  return { clock, graph, processor, snapshotter, sources };
}

/** A transformer that reads two collections, and fails on a poisoned object. */
export const echoTransform: Transformer = {
  name: "echo",
  inputs: [storyCollection("ServiceEntry"), storyCollection("Gateway")],
  outputs: [{ collection: echoCollection, group: "default" }],
  install(graph, input) {
    const echoes = graph.derive({
      name: echoCollection,
      from: input(storyCollection("ServiceEntry")),
      reads: { gateways: input(storyCollection("Gateway")) },
      key: ({ namespace, name }: Config) => `${namespace}/${name}`,
      to(entry: Config, { gateways }, key) {
        if (isPoisoned(entry)) throw new Error(`${key} is poisoned`);
        return [{ ...entry, version: echoVersion(entry, gateways.get(key)) }];
      },
    });
    return new Map([[echoCollection, echoes]]);
  },
};

export function isPoisoned({ labels }: Config): boolean {
  return labels[poisonLabel] !== undefined;
}

/** The version that {@link echoTransform} computes from an object and the gateway of the same name. */
export function echoVersion(entry: Config, gateway: Config | undefined): string {
  return `${entry.version} ${gateway?.version ?? "alone"}`;
}

function optional(source: Source, clock: FakeClock): Source {
  return new OptionalSource(source, { clock, waitMs: optionalWaitMs });
}
