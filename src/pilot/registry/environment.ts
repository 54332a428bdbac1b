import type { Collection, View } from "../../collection/collection.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import type { Config, ConfigId, Origin } from "../../config/config.ts";
import type { FetchedKeySet } from "../model/policy/key-set.ts";
import type { RequestAuthentication } from "../model/policy/request-authentication.ts";
import type { MeshViews } from "../model/push-context.ts";
import type { TrustAnchor } from "../model/trust-anchor.ts";
import { deriveCredentials } from "./derive/credentials.ts";
import { deriveDemands, deriveDestinationRules } from "./derive/destination-rules.ts";
import { deriveMesh, deriveNetworks } from "./derive/mesh.ts";
import { deriveExtensionProviders, derivePolicies } from "./derive/policies.ts";
import { groupByKeySet } from "./derive/request-authentications.ts";
import { deriveInstances, derivePeers, deriveServices } from "./derive/services.ts";
import { deriveTrustAnchors } from "./derive/trust-anchors.ts";
import { deriveVirtualServices } from "./derive/virtual-services.ts";
import { deriveGateways, derivePeerAuthentications, deriveSidecars } from "./derive/workload-rules.ts";
import { buildInputs, type EnvironmentSettings, inputOf, originOf } from "./inputs.ts";

/** The live collections behind {@link MeshViews}. */
type MeshCollections = {
  readonly [Name in keyof MeshViews]: MeshViews[Name] extends View<infer Value> ? Collection<Value> : never;
};

/** Pilot's view of the mesh: the received objects, and everything derived from them. It does not depend on proxies. */
export interface Environment extends MeshCollections {
  /** The graph of all collections. */
  readonly graph: Graph;
  /** By output collection, such as `istio/networking/v1alpha3/gateways`. A link fills them. */
  readonly inputs: ReadonlyMap<string, Input<Config>>;
  /** The key sets of issuers, by the key of their place. The process fetches the ones that policies need. */
  readonly fetchedKeySets: Input<FetchedKeySet>;
  /** The roots of our certificate authority, by their PEM. The process writes them when they change. */
  readonly trustedRoots: Input<TrustAnchor>;
  /** The policies that need a key set, by its key. */
  readonly policiesByKeySet: Collection<readonly RequestAuthentication[]>;
  /** Current views of all collections, for `capturePush`. */
  views(): MeshViews;
  /**
   * The current file and line of a user's object. Callers read it when they show the object, so that moving a line
   * changes no resource.
   */
  originOf(id: ConfigId): Origin | undefined;
  /** The input that holds a user's object; undefined if Pilot has no such kind. */
  inputOf(id: ConfigId): Input<Config> | undefined;
}

/** Builds the model on `graph`. */
export function buildEnvironment(graph: Graph, settings: EnvironmentSettings): Environment {
  const inputs = buildInputs(graph);
  const mesh = deriveMesh(graph, inputs);
  const { networkRules, networkGateways } = deriveNetworks(graph, inputs, settings);
  const { listed, ...registry } = deriveServices(graph, inputs, { mesh, networkRules }, settings);
  const gateways = deriveGateways(graph, inputs, settings);
  const peers = derivePeers(graph, listed);
  const rules = deriveDestinationRules(graph, inputs, mesh, settings);
  const collections: MeshCollections = {
    ...registry,
    ...deriveVirtualServices(graph, inputs, mesh, settings),
    ...rules,
    ...deriveSidecars(graph, inputs, settings),
    ...derivePeerAuthentications(graph, inputs),
    ...derivePolicies(graph, inputs),
    extensionProviders: deriveExtensionProviders(graph, inputs, registry.services),
    ...deriveCredentials(graph, inputs),
    gateways,
    instances: deriveInstances(graph, listed),
    peers,
    demands: deriveDemands(graph, mesh, { rules: rules.destinationRules, services: registry.services }),
    networkGateways,
    trustAnchors: deriveTrustAnchors(graph, inputs),
    mesh,
  };
  return {
    ...collections,
    graph,
    inputs: inputs.byCollection,
    fetchedKeySets: inputs.fetchedKeySets,
    trustedRoots: inputs.trustedRoots,
    policiesByKeySet: groupByKeySet(graph, collections.requestAuthentications),
    views: () => viewsOf(collections),
    originOf: (id) => originOf(id, inputs),
    inputOf: (id) => inputOf(id, inputs),
  };
}

function viewsOf(collections: MeshCollections): MeshViews {
  const views = Object.entries(collections).map(([name, collection]) => [name, collection.snapshot()]);
  // One view per collection, under its own name. The mapped type above states this, but `fromEntries` cannot.
  return Object.fromEntries(views) as MeshViews;
}
