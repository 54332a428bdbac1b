import { expect, test } from "vitest";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { listenerType } from "../../src/xds/type-urls.ts";

const gateway = (namespace: string, port: number) => `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: edge-${port}, namespace: ${namespace}}
spec:
  selector: {app: edge}
  servers: [{port: {number: ${port}, name: http, protocol: HTTP}, hosts: ["*"]}]
`;

const router = (namespace: string) => ({
  nodeId: `router~10.0.8.1~edge-0.${namespace}~${namespace}.svc.cluster.local`,
  metadata: { NAMESPACE: namespace, LABELS: { app: "edge" } },
});

/** The listeners of two routers with equal labels, in the namespaces of two gateways, as the first gateway changes. */
async function listeners(scopeGatewayToNamespace: boolean) {
  const settings = { domain: "cluster.local", clusterId: "Kubernetes", scopeGatewayToNamespace };
  const mesh = await ScenarioMesh.serving(`${gateway("edge", 8080)}---${gateway("shop", 9090)}`, { settings });
  const routers = [mesh.connect("delta", router("edge")), mesh.connect("delta", router("shop"))];
  const held = () => routers.map((each) => [...(each.held.get(listenerType)?.keys() ?? [])].toSorted());
  await mesh.settle(routers);
  const first = held();
  mesh.apply(gateway("edge", 8081));
  await mesh.settle(routers);
  return [first, held()];
}

test("a Gateway scoped to its namespace opens ports only on proxies of that namespace", async () => {
  expect(await listeners(true)).toEqual([
    [["0.0.0.0_8080"], ["0.0.0.0_9090"]],
    [["0.0.0.0_8080", "0.0.0.0_8081"], ["0.0.0.0_9090"]],
  ]);
});

test("a Gateway opens ports on proxies of every namespace unless it is scoped", async () => {
  const both = ["0.0.0.0_8080", "0.0.0.0_9090"];
  const all = ["0.0.0.0_8080", "0.0.0.0_8081", "0.0.0.0_9090"];
  expect(await listeners(false)).toEqual([
    [both, both],
    [all, all],
  ]);
});
