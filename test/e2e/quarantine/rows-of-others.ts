import type { Edge } from "./edge.ts";
import type { MakeRow } from "./row.ts";
import { gatewayObject, objectOf, serviceOf } from "./tenant-mesh.ts";

const throughout = { validation: "unvalidated", refusing: "current", begins: "good", victims: [] } as const;
/** A host of the tenant whose cluster is spoilt. */
const tenant = 3;

/** A DestinationRule that limits retries to this part of the requests. */
function budget(retryBudget: object): string {
  return objectOf("DestinationRule", tenant, "backend", { host: serviceOf(tenant), trafficPolicy: { retryBudget } });
}

/** The limit that a gateway has. */
async function budgetIn(edge: Edge): Promise<string> {
  const dump = await edge.page("/config_dump?resource=dynamic_active_clusters");
  return /"budget_percent":\s*\{\s*"value":\s*(\d+)/u.exec(dump)?.[1] ?? "none";
}

/** Retries of more than all requests: Envoy refuses the cluster, and in SotW all clusters with it. */
export const cluster: MakeRow = () => ({
  ...throughout,
  refused: [`DestinationRule/tenant-${tenant}/backend: earlier version`],
  files: {
    good: { "victim.yaml": budget({ percent: 30 }) },
    poisoned: { "victim.yaml": budget({ percent: 150 }) },
    mended: { "victim.yaml": budget({ percent: 60 }) },
  },
  effect: budgetIn,
  effects: { good: "30", poisoned: "30", mended: "60" },
});

/** A valid DestinationRule with a field that the old Envoy does not know. The current Envoy accepts it. */
export const olderEnvoy: MakeRow = () => ({
  ...throughout,
  validation: "serve",
  refusing: "old",
  refused: [`DestinationRule/tenant-${tenant}/backend: earlier version`],
  files: {
    good: { "victim.yaml": budget({ percent: 30 }) },
    poisoned: { "victim.yaml": budget({ percent: 40, budgetInterval: "5s" }) },
    mended: { "victim.yaml": budget({ percent: 60 }) },
  },
  effect: budgetIn,
  effects: { good: "30", poisoned: "30", mended: "60" },
  acceptedByOthers: "40",
});

/** A Gateway whose listener has no address of Envoy's. */
export const listener: MakeRow = ({ otherPorts }) => {
  const extra = (bind: string) => {
    const port = { number: otherPorts.first, name: "http", protocol: "HTTP" };
    return gatewayObject("Gateway", "extra", { selector: { app: "gw" }, servers: [{ port, bind, hosts: ["*"] }] });
  };
  return {
    ...throughout,
    refused: ["Gateway/istio-system/extra: nothing"],
    files: {
      good: { "victim.yaml": "" },
      poisoned: { "victim.yaml": extra("nowhere") },
      mended: { "victim.yaml": extra("127.0.0.1") },
    },
    effect: async (edge) =>
      (await edge.page("/listeners")).includes(`127.0.0.1:${otherPorts.first}`) ? "listens" : "none",
    effects: { good: "none", poisoned: "none", mended: "listens" },
  };
};
