import { EnforcementMode, RbacConfig_Mode as Mode, type RbacConfig } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { Collection, Tracked } from "../../../../collection/collection.ts";
import type { Graph } from "../../../../collection/graph.ts";
import { type Config, isSameConfig } from "../../../../config/config.ts";
import { clusterRbacConfig, rbacConfig } from "../../../../config/kinds/legacy/rbac.ts";
import { inputCollection, type TransformerInputs } from "../../transformer.ts";

/** Where legacy access control is on. */
export interface Enforcement {
  /** The object that says so. */
  readonly config: Config<RbacConfig>;
  readonly mode: Mode;
  /** The namespaces and hostnames of the inclusion or exclusion. */
  readonly namespaces: readonly string[];
  readonly hostnames: readonly string[];
  /** Whether decisions are only counted and logged. */
  readonly isTrial: boolean;
}

const theKey = "enforcement";

/** The only {@link Enforcement}, if access control is on somewhere. A ClusterRbacConfig hides all RbacConfigs. */
export function enforcements(graph: Graph, input: TransformerInputs): Collection<Enforcement> {
  const parts = [clusterRbacConfig, rbacConfig].map((kind) =>
    graph.group({ name: `legacy/all ${kind.plural}`, from: inputCollection(kind, input), keys: () => [theKey] }),
  );
  return graph.derive({
    name: "legacy/enforcement",
    from: graph.union({ name: "legacy/switches", parts, equals: isSameList }),
    key: () => theKey,
    to: (configs) => enforcementOf(configs).filter(({ mode }) => mode !== Mode.OFF),
    equals: (a, b) => isSameConfig(a.config, b.config) && a.mode === b.mode,
  });
}

/** The enforcement that a derivation reads; undefined while access control is off. */
export function currentEnforcement(enforcement: Tracked<Enforcement>): Enforcement | undefined {
  return enforcement.get(theKey);
}

function isSameList(a: readonly Config[], b: readonly Config[]): boolean {
  return a.length === b.length && a.every((config, index) => b[index] !== undefined && isSameConfig(config, b[index]));
}

/** Only one object was allowed. If several differ, access control is on everywhere, because any of them may be meant. */
function enforcementOf(configs: readonly Config<RbacConfig>[]): readonly Enforcement[] {
  const [config] = configs;
  if (config === undefined) return [];
  const isCertain = new Set(configs.map(({ spec }) => JSON.stringify(spec))).size === 1;
  if (!isCertain) return [{ config, mode: Mode.ON, namespaces: [], hostnames: [], isTrial: false }];
  const { mode, inclusion, exclusion, enforcementMode } = config.spec;
  const listed = mode === Mode.ON_WITH_INCLUSION ? inclusion : exclusion;
  return [
    {
      config,
      mode,
      namespaces: [...new Set(listed?.namespaces)],
      hostnames: [...new Set(listed?.services)],
      isTrial: enforcementMode === EnforcementMode.PERMISSIVE,
    },
  ];
}

/** The part of a namespace where access control is on: all, nothing, or the services with some hostnames. */
export type Extent = "all" | "none" | ReadonlySet<string>;

/** Services that are excluded still count: an own policy opens them. */
export function extentIn(
  namespace: string,
  { mode, namespaces, hostnames }: Pick<Enforcement, "mode" | "namespaces" | "hostnames">,
): Extent {
  const isListed = namespaces.includes(namespace);
  switch (mode) {
    case Mode.OFF:
      return "none";
    case Mode.ON:
      return "all";
    case Mode.ON_WITH_INCLUSION:
      return isListed ? "all" : new Set(hostnames);
    case Mode.ON_WITH_EXCLUSION:
    default:
      return isListed ? "none" : "all";
  }
}
