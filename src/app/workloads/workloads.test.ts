import { expect, test } from "vitest";
import { workloadHealthAnnotation } from "../../config/mesh/workload-health.ts";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { rawClient, started, valuesOf, wiredServer } from "../../testing/server/wired-server.ts";
import { clusterType } from "../../xds/type-urls.ts";
import type { Options } from "../options/options.ts";

const entries = "istio/networking/v1alpha3/workloadentries";
const healthType = "type.googleapis.com/istio.v1.HealthInformation";
const group = `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: { name: billing, namespace: shop }
spec:
  metadata: { labels: { app: billing, tier: back, zone: group }, annotations: { note: kept } }
  template: { serviceAccount: billing, network: vpn, labels: { tier: template } }
  probe: { httpGet: { port: 8080 } }
`;
const node = {
  id: "sidecar~10.0.0.9~vm-1.shop~shop.svc.cluster.local",
  metadata: { AUTO_REGISTER_GROUP: "billing", LABELS: { zone: "machine" } },
};
const billing = { address: "10.0.0.9:1", identities: ["spiffe://cluster.local/ns/shop/sa/billing"] };

async function serving(settings: Partial<Options> = {}) {
  const server = wiredServer(settings);
  server.source.apply(group);
  await started(server);
  const registered = () => [...(server.processor.outputs.get(entries)?.values() ?? [])];
  const connect = (peer = billing, more: object = {}) => {
    const machine = rawClient(server.discovery, peer);
    machine.ask(clusterType, { ...node, ...more });
    return machine;
  };
  return { ...server, registered, connect };
}

test("the entry of a machine has the template of its group, and the machine's own metadata first", async () => {
  const { registered, connect } = await serving();
  connect(billing, {
    locality: { region: "eu", zone: "eu-1" },
    metadata: { ...node.metadata, NETWORK: "lan" },
  });
  expect(registered()).toMatchObject([
    {
      namespace: "shop",
      name: "billing-10.0.0.9-lan",
      labels: { app: "billing", tier: "template", zone: "machine" },
      annotations: { note: "kept", "istio.io/autoRegistrationGroup": "billing" },
      origin: { source: "registration", reference: `registered by ${node.id}` },
      spec: { address: "10.0.0.9", serviceAccount: "billing", network: "lan", locality: "eu/eu-1" },
    },
  ]);
});

test.each([
  [true, ["unhealthy", "healthy", "unhealthy"]],
  [false, ["healthy", "healthy", "healthy"]],
])("machines are called only while they are healthy: %s", async (workloadHealth, expected) => {
  const { registered, connect } = await serving({ workloadHealth });
  const machine = connect();
  const health = () => registered()[0]?.annotations?.[workloadHealthAnnotation];
  const seen = [health()];
  machine.ask(healthType, node);
  seen.push(health());
  machine.answer(healthType, "", "planted");
  seen.push(health());
  expect(seen).toEqual(expected);
});

test("a machine must prove the account of its group, unless identities are not checked", async () => {
  const { registered, connect, metrics } = await serving();
  const other = { address: "10.0.0.9:1", identities: ["spiffe://cluster.local/ns/shop/sa/other"] };
  expect(connect(other).client.status?.code).toBe(GrpcStatus.PERMISSION_DENIED);
  expect([registered(), await valuesOf(metrics, "auto_registration_errors_total")]).toEqual([[], ["1"]]);
  const open = await serving({ xdsIdentityCheck: false });
  open.connect(other);
  expect(open.registered()).toHaveLength(1);
});

test("the entry of a machine that went away stays for the grace time of the settings", async () => {
  const { registered, connect, clock, metrics } = await serving({ workloadGraceMs: 20_000 });
  connect().client.close();
  clock.advance(19_999);
  expect(registered()).toHaveLength(1);
  clock.advance(1);
  expect(registered()).toEqual([]);
  expect(await valuesOf(metrics, "auto_registration_unregister_total")).toEqual(["1"]);
  expect(await valuesOf(metrics, "auto_registration_deletes_total")).toEqual(["1"]);
});

test("the entry of a machine that comes back within the grace time stays", async () => {
  const { registered, connect, clock, metrics } = await serving({ workloadGraceMs: 20_000 });
  connect().client.close();
  clock.advance(10_000);
  connect();
  clock.advance(60_000);
  expect(registered()).toHaveLength(1);
  expect(await valuesOf(metrics, "auto_registration_updates_total")).toEqual(["1"]);
});
