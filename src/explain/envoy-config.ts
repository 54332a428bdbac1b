import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { Metadata } from "#gen/envoy/config/core/v3/base_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { type ConfigId, configId } from "../config/config.ts";
import type { KnownAuthorities } from "./trust.ts";
import type { PatchedPart } from "../pilot/networking/patch/patch-trace.ts";

/** The configuration of one proxy. */
export interface EnvoyConfig {
  readonly listeners: readonly Listener[];
  readonly routes: Named<RouteConfiguration>;
  readonly clusters: Named<Cluster>;
  /** By the name of the cluster, or of the service that the cluster names. */
  readonly endpoints: Named<ClusterLoadAssignment>;
  /** The names of the secrets that it was sent. Undefined if unknown. */
  readonly secrets?: ReadonlySet<string>;
  /** The authorities in a secret that it was sent; undefined if it has none, or if they are unknown. */
  readonly authoritiesOf?: (secret: string) => KnownAuthorities | undefined;
  /** The users' objects behind a resource, by type and name; empty when unknown. */
  readonly ownersOf?: (type: ResourceType, name: string) => readonly ConfigId[];
  /** The user's object behind a part of a resource, by the name of the part; undefined when unknown. */
  readonly ownerOfPart?: (type: ResourceType, name: string, part: string) => ConfigId | undefined;
  /** The patches that changed or removed a resource, in order; empty when unknown. */
  readonly patchesOf?: (type: ResourceType, name: string) => readonly KnownPatch[];
  /** The names of the resources that patches removed. */
  readonly removedOf?: (type: ResourceType) => readonly string[];
}

/** All messages, or a lookup: a walk needs a few of thousands, and each must be decoded. */
type Named<T> = readonly T[] | ((name: string) => T | undefined);

/** A configuration with all messages. */
export interface WholeEnvoyConfig extends EnvoyConfig {
  readonly routes: readonly RouteConfiguration[];
  readonly clusters: readonly Cluster[];
  readonly endpoints: readonly ClusterLoadAssignment[];
}

export function routesNamed({ routes }: EnvoyConfig, wanted: string): RouteConfiguration | undefined {
  return typeof routes === "function" ? routes(wanted) : routes.find(({ name }) => name === wanted);
}

export function clusterNamed({ clusters }: EnvoyConfig, wanted: string): Cluster | undefined {
  return typeof clusters === "function" ? clusters(wanted) : clusters.find(({ name }) => name === wanted);
}

export function assignmentNamed({ endpoints }: EnvoyConfig, wanted: string): ClusterLoadAssignment | undefined {
  return typeof endpoints === "function"
    ? endpoints(wanted)
    : endpoints.find(({ clusterName }) => clusterName === wanted);
}

/** A patch of an EnvoyFilter that changed a resource. */
export interface KnownPatch {
  readonly object: ConfigId;
  /** Its position in the object: `configPatches[1]`. */
  readonly part: string;
  /** `file:line` of the patch; empty when unknown. */
  readonly reference: string;
  /** The parts of the resource that it made or changed. */
  readonly parts: readonly PatchedPart[];
}

export type ResourceType = "listener" | "route" | "cluster" | "endpoint";

export function resourceOwners(config: EnvoyConfig, type: ResourceType, name: string): readonly ConfigId[] {
  return config.ownersOf?.(type, name) ?? [];
}

/** Notes about the patches of EnvoyFilters that changed a resource. */
export function patchNotes(config: EnvoyConfig, type: ResourceType, name: string): readonly string[] {
  return (config.patchesOf?.(type, name) ?? []).map(
    ({ object, part, reference }) => `patched by ${object}, ${part}${reference === "" ? "" : ` (${reference})`}`,
  );
}

const configPath = /^\/apis\/[^/]+\/[^/]+\/namespaces\/(?<namespace>[^/]+)\/(?<kind>[^/]+)\/(?<name>[^/]+)$/u;

/**
 * The object behind a part of a resource, from its metadata: `/apis/…/virtual-service/reviews`. It is more precise than
 * the owners of the whole resource.
 */
export function ownersIn(metadata: Metadata | undefined): readonly ConfigId[] {
  const id = configIdAt(metadata?.filterMetadata["istio"]?.["config"]);
  return id === undefined ? [] : [id];
}

/** The object of such a path; undefined for anything else. */
export function configIdAt(path: unknown): ConfigId | undefined {
  const { namespace, kind, name } = (typeof path === "string" && configPath.exec(path)?.groups) || {};
  if (namespace === undefined || kind === undefined || name === undefined) return undefined;
  return configId(pascalCase(kind), namespace, name);
}

/** `virtual-service` is `VirtualService`. */
function pascalCase(kebab: string): string {
  return kebab.replaceAll(/(?:^|-)(?<letter>[a-z])/gu, (match) => match.slice(-1).toUpperCase());
}
