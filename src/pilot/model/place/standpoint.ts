import { compareTexts } from "../../../lib/compare.ts";
import { Memo } from "../../../lib/memo.ts";
import type { Labels } from "../labels.ts";
import { labelsId } from "../labels.ts";
import { type AddressFamilies, familiesOf } from "../proxy/address-families.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import { comparedLabels, type Demand } from "./demand.ts";
import { localityOfProxy, nodeOfProxy } from "./proxy-place.ts";
import { type Locality, nowhere, proxyLabel } from "./topology.ts";

/**
 * Where a proxy stands, as far as anything in the mesh depends on it: that decides which endpoints it is sent and in
 * which order. What nobody asks for is left empty, so that all proxies share what they are sent.
 */
export interface Standpoint {
  /** Equal ids are equal standpoints: part of the id of every part that endpoints stand in. */
  readonly id: string;
  readonly locality: Locality;
  /** Of its labels those that endpoints are compared by. */
  readonly labels: Labels;
  /** Of its labels those that rules select by. */
  readonly selected: Labels;
  readonly node: string;
  readonly network: string;
  /** The address families it has; "dual" also while nobody asks. */
  readonly families: AddressFamilies;
  /** The networks it wants to see; empty for all. */
  readonly networkView: readonly string[];
}

interface Question {
  readonly locality: boolean;
  readonly node: boolean;
  readonly labels: readonly string[];
  readonly selected: readonly string[];
}

const questions = new Memo<Question>();

/** For the clusters of a proxy, or for its endpoints, which more things depend on. */
export function standpointOf(proxy: Proxy, push: PushContext, what: "clusters" | "endpoints"): Standpoint {
  const { locality, labels, selected, node } = questions.get(
    [push.demands, push.mesh],
    `${what} ${proxy.namespace}`,
    () => questionOf(push, what, proxy.namespace),
  );
  const crosses = push.networks.gateways.length > 0;
  const place = { locality: localityOfProxy(proxy, push), node: nodeOfProxy(proxy, push) };
  return withId({
    locality: locality ? place.locality : nowhere,
    labels: labelsAmong(labels, (name) => proxyLabel(proxy, place, name)),
    selected: labelsAmong(selected, (name) => proxy.labels[name]),
    node: node ? place.node : "",
    network: crosses ? proxy.network : "",
    families: crosses ? familiesOf(proxy.ipAddresses) : "dual",
    networkView: networkViewOf(proxy),
  });
}

function questionOf({ demands, mesh }: PushContext, what: "clusters" | "endpoints", namespace: string): Question {
  const asked: Demand[] = [...demands.values()].filter(({ clusters }) => clusters || what === "endpoints");
  const selected = asked.flatMap((each) => (each.selected?.namespace === namespace ? each.selected.labels : []));
  const byMesh = mesh.localities.type === "locality" && mesh.localities.distribute.length > 0;
  return {
    locality: byMesh || mesh.defaultOutlierDetection !== undefined || asked.some((each) => each.locality),
    node: asked.some((each) => each.node),
    labels: sorted([...comparedLabels(mesh.localities), ...asked.flatMap(({ labels }) => labels)]),
    selected: sorted(selected),
  };
}

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

/** Of whoever is nowhere in particular: all endpoints, none before another. */
export const anywhere: Standpoint = withId({
  locality: nowhere,
  labels: {},
  selected: {},
  node: "",
  network: "",
  families: "dual",
  networkView: [],
});

function withId(standpoint: Omit<Standpoint, "id">): Standpoint {
  const { locality, labels, selected, node, network, families, networkView } = standpoint;
  const place = [locality.region, locality.zone, locality.subzone, node, network, networkView.join()];
  const all = [...place, families === "dual" ? "" : families, labelsId(labels), labelsId(selected)];
  return { ...standpoint, id: all.every((part) => part === "") ? "" : JSON.stringify(all) };
}
