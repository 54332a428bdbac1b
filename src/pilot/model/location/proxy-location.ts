import type { Labels } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { memoize } from "../../../lib/memo.ts";
import { type AddressFamilies, familiesOf } from "../proxy/address-families.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { comparedLabels, type Demand } from "./demand.ts";
import { type Locality, proxyLabel, unknownLocality } from "./locality.ts";
import { localityOfProxy, nodeOfProxy } from "./proxy-locality.ts";

/**
 * The location of a proxy, reduced to the facts that some rule or service uses. It decides which endpoints the proxy
 * receives, and their order. Unused facts stay empty, so that proxies share resources.
 */
export interface ProxyLocation {
  readonly locality: Locality;
  /** The proxy's labels that are compared with endpoint labels. */
  readonly labels: Labels;
  /** The proxy's labels that rules use to select workloads. */
  readonly selected: Labels;
  readonly node: string;
  readonly network: string;
  /** The proxy's address families; "dual" also while nothing depends on them. */
  readonly families: AddressFamilies;
  /** The proxy's cluster; "" while no service is local to its cluster. */
  readonly clusterId: string;
  /** Networks that the proxy requests; empty for all. */
  readonly networkView: readonly string[];
}

interface RelevantFacts {
  readonly locality: boolean;
  readonly node: boolean;
  readonly cluster: boolean;
  readonly labels: readonly string[];
  readonly selected: readonly string[];
}

/** Returns the location for clusters or for endpoints. Endpoints depend on more facts. */
export function locationOf(proxy: Proxy, push: PushContext, what: "clusters" | "endpoints"): ProxyLocation {
  const { namespace } = proxy;
  const { locality, labels, selected, node, cluster } = relevantFactsOf([push.demands, push.mesh], { what, namespace });
  const crosses = push.networks.gateways.length > 0;
  const known = { locality: localityOfProxy(proxy, push), node: nodeOfProxy(proxy, push) };
  return {
    locality: locality ? known.locality : unknownLocality,
    labels: labelsAmong(labels, (name) => proxyLabel(proxy, known, name)),
    selected: labelsAmong(selected, (name) => proxy.labels[name]),
    node: node ? known.node : "",
    network: crosses ? proxy.network : "",
    families: crosses ? familiesOf(proxy.ipAddresses) : "dual",
    clusterId: cluster ? proxy.clusterId : "",
    networkView: networkViewOf(proxy),
  };
}

const relevantFactsOf = memoize(
  (
    [demands, mesh]: readonly [PushContext["demands"], PushContext["mesh"]],
    { what, namespace }: { readonly what: "clusters" | "endpoints"; readonly namespace: string },
  ): RelevantFacts => {
    const asked: Demand[] = [...demands.values()].filter(({ clusters }) => clusters || what === "endpoints");
    const selected = asked.flatMap((each) => (each.selected?.namespace === namespace ? each.selected.labels : []));
    const byMesh = mesh.localities.type === "locality" && mesh.localities.distribute.length > 0;
    return {
      locality: byMesh || mesh.defaultOutlierDetection !== undefined || asked.some((each) => each.locality),
      node: asked.some((each) => each.node),
      cluster: mesh.clusterLocal.some(({ isLocal }) => isLocal) || asked.some((each) => each.cluster),
      labels: sorted([...comparedLabels(mesh.localities), ...asked.flatMap(({ labels }) => labels)]),
      selected: sorted(selected),
    };
  },
);

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted(compareTexts);
}

function labelsAmong(names: readonly string[], valueOf: (name: string) => string | undefined): Labels {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function networkViewOf({ metadata }: Proxy): readonly string[] {
  const view = metadata["REQUESTED_NETWORK_VIEW"];
  return typeof view === "string" && view !== "" ? view.split(",").toSorted(compareTexts) : [];
}

/** The location without any facts: all endpoints, without any preference. */
export const unknownLocation: ProxyLocation = {
  locality: unknownLocality,
  labels: {},
  selected: {},
  node: "",
  network: "",
  families: "dual",
  clusterId: "",
  networkView: [],
};
