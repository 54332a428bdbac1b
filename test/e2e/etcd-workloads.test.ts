import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { DeltaClient } from "./support/xds/ads-client.ts";
import { XdsRecording } from "./support/xds/xds-recording.ts";

const describeWithEtcd = await describeWith("kube");
const cluster = "outbound|80||billing.shop.svc.cluster.local";
const machine = {
  id: "sidecar~10.0.0.9~vm-1.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", INSTANCE_IPS: "10.0.0.9", AUTO_REGISTER_GROUP: "billing" },
};

const objects = `
apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: billing, namespace: shop}
spec:
  metadata: {labels: {app: billing}}
  template: {serviceAccount: billing, ports: {http: 8080}}
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: billing, namespace: shop}
spec:
  hosts: [billing.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: billing}}
`;

function join(server: BinnacleProcess | undefined): DeltaClient {
  const proxy = new DeltaClient(server?.xdsPort ?? 0, machine);
  proxy.subscribe(clusterType);
  return proxy;
}

describeWithEtcd("machines that join a mesh in etcd", () => {
  let etcd: Etcd;
  let empty: MeshDir;
  let servers: readonly BinnacleProcess[] = [];

  beforeAll(async () => {
    etcd = await Etcd.start();
    empty = new MeshDir();
    await runCommand(["apply", "-f", "-", "--store", etcd.url("mesh")], { input: objects });
    const args = ["--source", etcd.url("mesh"), "--workload-grace", "2s", "--xds-identity-check", "off"];
    servers = await Promise.all([1, 2].map(() => startBinnacle({ dir: empty.path, args })));
  });

  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    empty[Symbol.dispose]();
    await etcd[Symbol.asyncDispose]();
  });

  async function leases(): Promise<number> {
    return (await etcd.client.leaseClient.leaseLeases()).leases.length;
  }

  test("are known to every server, also after the loss of their server, until they leave", async () => {
    const [first, second] = servers;
    using caller = new XdsRecording(second?.xdsPort ?? 0);
    const sees = (endpoints: readonly string[]) =>
      eventually(
        `endpoints ${endpoints.join()}`,
        async () => (await caller.endpoints(cluster))?.join() === endpoints.join(),
        { seconds: 20 },
      );
    await sees([]);
    const before = caller.history.length;
    using joined = join(first);
    await sees(["10.0.0.9:8080"]);
    using moved = join(second);
    await moved.next(clusterType);
    first?.kill("SIGKILL");
    await eventually("the end of the lease", async () => (await leases()) === 1, { seconds: 20 });
    await caller.take();
    expect(caller.history.slice(before)).toEqual([`${cluster}: 10.0.0.9:8080`]);
    joined[Symbol.dispose]();
    moved[Symbol.dispose]();
    await sees([]);
  });
});
