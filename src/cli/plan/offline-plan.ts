import { type OfflineMesh, readMesh } from "../../app/offline/read-mesh.ts";
import type { ConfigId } from "../../config/config.ts";
import { takesVirtualHosts } from "../../pilot/model/proxy/capabilities.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import type { AskEnvoy } from "../../plan/envoy/find-refused.ts";
import type { PlannedProxy } from "../../plan/fleet.ts";
import type { Plan } from "../../plan/plan.ts";
import { planId, plannedObjects } from "../../plan/plan-id.ts";
import { minHosts } from "../../xds/virtual-hosts/split-routes.ts";
import type { MeshFlagValues } from "../flags/mesh-flags.ts";
import { assumedProxies } from "../mesh/assumed-proxies.ts";
import type { ChangedInputs } from "./changed-inputs.ts";

export interface PlanSettings {
  /** The protocol of the assumed proxies. */
  readonly mode: "sotw" | "delta";
  /** The share of proxies above which a change is a risk. */
  readonly manyProxies: number;
  readonly maxRequests: number;
  /** Asks a real Envoy about the configuration after the change. */
  readonly askEnvoy?: AskEnvoy;
}

/** A plan without a server, and the mesh after the change with its issues. */
export interface OfflinePlan {
  readonly plan: Plan;
  readonly after: OfflineMesh;
  readonly proxies: readonly PlannedProxy[];
}

/** Plans for the proxies that the mesh probably has: before the change, and those that the change adds. */
export async function offlinePlan(
  inputs: ChangedInputs,
  deleted: ReadonlySet<ConfigId>,
  settings: MeshFlagValues,
  { mode, ...limits }: PlanSettings,
): Promise<OfflinePlan> {
  const before = await readMesh({ inputs: inputs.before, ...settings });
  const after = await readMesh({ inputs: inputs.after, ...settings, without: deleted });
  const objects = plannedObjects(before.configs, after.configs);
  const proxies = assumedIn(before, after, { mode, settings });
  const plan = await buildPlan({
    id: planId(before.configs, objects),
    objects: objects.map(({ operation, id, reference }) => ({ operation, id, reference })),
    groups: [{ before: before.push, after: after.push, proxies }],
    generators: before.generators,
    splitFrom: (proxy) => (takesVirtualHosts(proxy) ? minHosts : undefined),
    turn: () => Promise.resolve(),
    originOf: { before: before.originOf, after: after.originOf },
    ...limits,
  });
  return { plan, after, proxies };
}

/** A proxy of a workload that the change adds starts with the mesh before the change: it is sent what is new. */
function assumedIn(
  before: OfflineMesh,
  after: OfflineMesh,
  { mode, settings }: { readonly mode: "sotw" | "delta"; readonly settings: MeshFlagValues },
): readonly PlannedProxy[] {
  const all = [after, before].flatMap(({ push }) => assumedProxies(push, settings));
  const byNode = new Map(all.map((each) => [each.proxy.nodeId, each] as const));
  return Array.from(byNode.values(), ({ proxy, count }) => ({
    name: proxy.nodeId,
    proxy: { ...proxy, keyAccess: "allowed" as const },
    count,
    mode,
    requests: undefined,
  }));
}
