import type { Cluster } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { Metadata } from "#gen/envoy/config/core/v3/base_pb.js";
import type { ClusterLoadAssignment } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";
import type { RouteConfiguration } from "#gen/envoy/config/route/v3/route_pb.js";
import { type ConfigId, configId } from "../config/config.ts";

/** The configuration of one proxy. */
export interface EnvoyConfig {
  readonly listeners: readonly Listener[];
  readonly routes: readonly RouteConfiguration[];
  readonly clusters: readonly Cluster[];
  readonly endpoints: readonly ClusterLoadAssignment[];
  /** The names of the secrets that it was sent. Undefined if unknown. */
  readonly secrets?: ReadonlySet<string>;
  /** The users' objects behind a resource, by type and name; empty when unknown. */
  readonly ownersOf?: (type: ResourceType, name: string) => readonly ConfigId[];
  /** The patches that changed a resource, each as a sentence; empty when unknown. */
  readonly patchesOf?: (type: ResourceType, name: string) => readonly string[];
}

type ResourceType = "listener" | "route" | "cluster" | "endpoint";

export function resourceOwners(config: EnvoyConfig, type: ResourceType, name: string): readonly ConfigId[] {
  return config.ownersOf?.(type, name) ?? [];
}

/** Notes about the patches of EnvoyFilters that changed a resource. */
export function patchNotes(config: EnvoyConfig, type: ResourceType, name: string): readonly string[] {
  return config.patchesOf?.(type, name) ?? [];
}

const configPath = /^\/apis\/[^/]+\/[^/]+\/namespaces\/(?<namespace>[^/]+)\/(?<kind>[^/]+)\/(?<name>[^/]+)$/u;

/**
 * The object behind a part of a resource, from its metadata: `/apis/…/virtual-service/reviews`. It is more precise than
 * the owners of the whole resource.
 */
export function ownersIn(metadata: Metadata | undefined): readonly ConfigId[] {
  const path = metadata?.filterMetadata["istio"]?.["config"];
  const { namespace, kind, name } = (typeof path === "string" && configPath.exec(path)?.groups) || {};
  if (namespace === undefined || kind === undefined || name === undefined) return [];
  return [configId(pascalCase(kind), namespace, name)];
}

/** `virtual-service` is `VirtualService`. */
function pascalCase(kebab: string): string {
  return kebab.replaceAll(/(?:^|-)(?<letter>[a-z])/gu, (match) => match.slice(-1).toUpperCase());
}
