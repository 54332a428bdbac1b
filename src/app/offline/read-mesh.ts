import type { ConfigId, Origin } from "../../config/config.ts";
import type { Issue } from "../../config/issue.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import type { Options } from "../options/options.ts";
import { buildPipeline, type Pipeline, protocolDefaults } from "../pipeline.ts";
import { systemClock } from "../process/system-clock.ts";
import { meshSources } from "../sources/sources.ts";
import { issuesOf } from "./issues-of.ts";
import { sourceOf } from "./source-of.ts";
import type { SourceText } from "./text-source.ts";

export interface OfflineOptions
  extends Pick<Options, "mesh" | "domain" | "clusterId">,
    Partial<Pick<Options, "networks" | "scopeGatewayToNamespace">> {
  /** In order of precedence: directories, files, and texts that are at hand. */
  readonly inputs: readonly (string | SourceText)[];
}

/** All resources of one type that a proxy would be sent. */
export interface TypedResources {
  readonly typeUrl: string;
  /** CDS, EDS, … */
  readonly shortName: string;
  readonly resources: readonly Resource[];
}

/** A mesh as it was when it was read. */
export interface OfflineMesh {
  /** By file and place. */
  readonly issues: readonly Issue[];
  /** How many objects are in use. */
  readonly objects: number;
  /** What a proxy would be sent, type by type, in the order of a push. */
  readonly resourcesFor: (proxy: Proxy) => readonly TypedResources[];
  /** Where a user's object stands. */
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/**
 * Reads a mesh once, by the same road that a server reads it. Throws `source-unavailable` for what is not there; what
 * is wrong inside is among the issues.
 */
export async function readMesh({ inputs, mesh, networks, ...settings }: OfflineOptions): Promise<OfflineMesh> {
  const named = await Promise.all([...new Set(inputs)].map((input) => sourceOf(input)));
  const pipeline = buildPipeline({
    sources: [...meshSources({ mesh, networks }, systemClock), ...named],
    settings,
    clock: systemClock,
    turn: () => Promise.resolve(),
    debounce: { quietMs: 0, maxWaitMs: 0 },
    observer: failLoudly,
    onUpdate: () => {},
    onSnapshotError: raise,
    protocol: protocolDefaults,
  });
  await takeIn(pipeline);
  const { galley, pilot, processor, environment, discovery } = pipeline;
  const originOf = (id: ConfigId) => environment.originOf(id);
  return {
    issues: issuesOf({ processor, problems: [...galley.problems, ...pilot.problems], originOf }),
    objects: processor.objects,
    resourcesFor: (proxy) =>
      discovery.catalogue.types.map((type) => {
        const sets = discovery.catalogue.lease(type, proxy, "all").target ?? [];
        // The protocol does not care what a resource was made of; these were made by our generators.
        const resources = sets.flatMap((set) => [...set] as Resource[]);
        return { typeUrl: type.typeUrl, shortName: type.shortName, resources };
      }),
    originOf,
  };
}

async function takeIn({ snapshotter, processor, link, discovery }: Pipeline): Promise<void> {
  snapshotter.start();
  try {
    await processor.start();
    await link.complete;
    await discovery.idle();
  } finally {
    await processor.stop();
    snapshotter.stop();
    discovery.stop();
  }
}

function raise(error: unknown): never {
  throw error;
}

/** There are no streams, so there is nothing to count; a generator that fails is a bug, and nobody looks later. */
const failLoudly: XdsObserver = {
  connected: () => {},
  disconnected: () => {},
  refused: () => {},
  responseSent: () => {},
  rejected: () => {},
  staleNonce: () => {},
  delayed: () => {},
  ackOverdue: () => {},
  unknownType: () => {},
  pushStarted: () => {},
  pushFailed: raise,
  streamFailed: (_node, cause) => raise(cause),
  generatorFailed: ({ cause }) => raise(cause),
  converged: () => {},
  written: () => {},
  dequeued: () => {},
};
