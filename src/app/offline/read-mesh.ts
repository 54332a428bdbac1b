import type { DescMessage, JsonObject, MessageShape } from "@bufbuild/protobuf";
import type { Collection } from "../../collection/collection.ts";
import type { Config, ConfigId, Origin } from "../../config/config.ts";
import { foldIssues } from "../../config/fold-issues.ts";
import type { Issue } from "../../config/issue.ts";
import { type Kind, outputOf } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { proxyConfig } from "../../config/kinds/proxy-config.ts";
import { workloadProxyConfig } from "../../config/mesh/workload-proxy-config.ts";
import { secretClientOf } from "../../pilot/model/credential/secret-client.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { Generator } from "../../pilot/xds/generator.ts";
import { patchEffectsFor, type TypedEffect } from "../../pilot/xds/patch-effects.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { NameSet } from "../../xds/resources/name-set.ts";
import { secretType } from "../../xds/type-urls.ts";
import type { Pipeline } from "../pipeline.ts";
import { emptyFiles } from "../sources/empty-files.ts";
import { issuesOf } from "./issues-of.ts";
import { type OfflineOptions, offlinePipeline } from "./offline-pipeline.ts";

/** All resources of one type that a proxy would be sent. */
export interface TypedResources {
  readonly typeUrl: string;
  /** CDS, EDS, … */
  readonly shortName: string;
  readonly resources: readonly Resource[];
}

/** A mesh as it was when it was read. */
export interface OfflineMesh {
  /** By file and place, folded. */
  readonly issues: readonly Issue[];
  /** A sentence about the objects that are not mesh configuration; absent where there are none. */
  readonly ignored: string | undefined;
  /** The files and directories that hold nothing at all. */
  readonly empty: readonly string[];
  /** How many objects are in use. */
  readonly objects: number;
  /** The objects in use, by output collection. */
  readonly configs: ReadonlyMap<string, Collection<Config>>;
  /** The resources that a proxy would receive, type by type, in push order. */
  readonly resourcesFor: (proxy: Proxy) => readonly TypedResources[];
  /** The secrets that an authenticated proxy would receive, with private keys. */
  readonly secretsFor: (proxy: Proxy) => readonly Resource[];
  /** The effects of EnvoyFilters on these resources. */
  readonly patchesFor: (proxy: Proxy) => readonly TypedEffect[];
  /** The mesh that everything is made from. */
  readonly push: PushContext;
  /** The generators of all types, in push order. */
  readonly generators: readonly Generator[];
  /** The settings with which the proxy of a workload starts, as JSON of a ProxyConfig. */
  readonly proxyConfigOf: (workload: Pick<Proxy, "namespace" | "labels">) => JsonObject;
  /** The place of a user's object. */
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/**
 * Reads a mesh once, through the same pipeline as a server. Throws `source-unavailable` for missing inputs. Problems in
 * the inputs are issues.
 */
export async function readMesh(options: OfflineOptions): Promise<OfflineMesh> {
  const pipeline = await offlinePipeline(options);
  await takeIn(pipeline);
  const { galley, pilot, processor, environment, discovery } = pipeline;
  const originOf = (id: ConfigId) => environment.originOf(id);
  const { catalogue } = discovery;
  // The protocol type hides the inputs of a resource; our generators made these resources.
  const leased = (type: ResourceType, proxy: Proxy, asked: NameSet | "all") =>
    (catalogue.lease(type, proxy, asked).target ?? []).flatMap((set) => [...set] as Resource[]);
  return {
    ...foldIssues(issuesOf({ processor, problems: [...galley.problems, ...pilot.problems], originOf })),
    empty: emptyFiles(processor),
    objects: processor.objects,
    configs: processor.outputs,
    resourcesFor: (proxy) =>
      catalogue.types.map((type) => {
        const { typeUrl, shortName } = type;
        return { typeUrl, shortName, resources: leased(type, proxy, "all") };
      }),
    secretsFor(proxy) {
      const authenticated: Proxy = { ...proxy, keyAccess: "allowed" };
      const names = new Set(secretClientOf(authenticated, catalogue.published).used);
      const types = catalogue.types.filter(({ typeUrl }) => typeUrl === secretType);
      return types.flatMap((type) => leased(type, authenticated, names));
    },
    patchesFor: (proxy) => patchEffectsFor(proxy, catalogue.types, catalogue.published),
    push: catalogue.published,
    generators: catalogue.types,
    proxyConfigOf: (workload) => proxyConfigIn(processor, workload),
    originOf,
  };
}

function proxyConfigIn({ outputs }: Pipeline["processor"], workload: Pick<Proxy, "namespace" | "labels">): JsonObject {
  const configsOf = <Schema extends DescMessage>(kind: Kind<Schema>) =>
    // An output has the objects of its kind only.
    [...(outputs.get(outputOf(kind) ?? "")?.values() ?? [])] as Config<MessageShape<Schema>>[];
  const [mesh] = configsOf(meshConfig);
  return workloadProxyConfig({ mesh: mesh?.spec, proxyConfigs: configsOf(proxyConfig) }, workload);
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
