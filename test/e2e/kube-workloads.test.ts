import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { healthType } from "../../src/pilot/xds/workloads/workload-registry.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { grantMachineRights, grantOurRights } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { openDefinition } from "./support/kube/kube-objects.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { DeltaClient } from "./support/xds/ads-client.ts";
import { XdsRecording } from "./support/xds/xds-recording.ts";

const describeWithKube = await describeWith("kube");
const patience = { seconds: 30 };
const apiVersion = "networking.istio.io/v1";
const place = `/apis/${apiVersion}/namespaces/default`;
const entries = `${place}/workloadentries`;
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const clusterOf = (app: string) => `outbound|80||${app}.default.svc.cluster.local`;

const registering = {
  id: "sidecar~10.0.0.9~vm-1.default~default.svc.cluster.local",
  metadata: { NAMESPACE: "default", INSTANCE_IPS: "10.0.0.9", AUTO_REGISTER_GROUP: "billing" },
};
const written = {
  id: "sidecar~10.0.0.8~vm-2.default~default.svc.cluster.local",
  metadata: { NAMESPACE: "default", INSTANCE_IPS: "10.0.0.8", WORKLOAD_ENTRY: "ledger-1" },
};

function object(kind: string, name: string, spec: object, annotations = {}) {
  return { apiVersion, kind, metadata: { name, annotations }, spec };
}

function service(app: string) {
  return object("ServiceEntry", app, {
    hosts: [`${app}.default.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP", targetPort: 8080 }],
    workloadSelector: { labels: { app } },
  });
}

const objects = {
  workloadgroups: object("WorkloadGroup", "billing", { metadata: { labels: { app: "billing" } }, template: {} }),
  workloadentries: object(
    "WorkloadEntry",
    "ledger-1",
    { address: "10.0.0.8", labels: { app: "ledger" } },
    { "proxy.istio.io/health-checks-enabled": "true", note: "kept" },
  ),
};

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

function connect(server: BinnacleProcess | undefined, node: typeof registering | typeof written): DeltaClient {
  const proxy = new DeltaClient(server?.xdsPort ?? 0, node);
  proxy.subscribe(clusterType);
  return proxy;
}

async function sees(caller: XdsRecording, app: string, endpoints: string): Promise<void> {
  const isSeen = async () => (await caller.endpoints(clusterOf(app)))?.join() === endpoints;
  await eventually(`endpoints ${endpoints || "none"} of ${app}`, isSeen, patience);
}

describeWithKube("machines of a mesh in Kubernetes", () => {
  const world = shared(async (stack) => {
    const kube = stack.use(await Kube.start());
    const kinds = { WorkloadGroup: "workloadgroups", WorkloadEntry: "workloadentries", ServiceEntry: "serviceentries" };
    await kube.define(Object.entries(kinds).map(([kind, plural]) => openDefinition({ kind, plural })));
    for (const [plural, each] of Object.entries(objects)) await kube.call("POST", `${place}/${plural}`, each);
    for (const app of ["billing", "ledger"]) await kube.call("POST", `${place}/serviceentries`, service(app));
    await grantOurRights(kube, "default");
    await grantMachineRights(kube, "default");
    const empty = stack.use(new MeshDir());
    const flags = ["--workload-grace", "3s", "--xds-identity-check", "off"];
    const args = ["--source", "kube:", "--kubeconfig", kube.kubeconfig("mesh"), ...flags];
    const start = async () => {
      const server = await startBinnacle({ dir: empty.path, args });
      stack.defer(() => server.stop());
      return server;
    };
    return { kube, servers: await Promise.all([start(), start()]) };
  });

  async function namesAt(path: string): Promise<readonly string[]> {
    const { items } = (await world().kube.call("GET", path)).body as unknown as Listed;
    return items.map(({ metadata }) => metadata.name);
  }

  test("tell their health to every server, in the entry that a person wrote, until they leave", async () => {
    const { kube, servers } = world();
    const [first, second] = servers;
    using caller = new XdsRecording(second?.xdsPort ?? 0);
    await sees(caller, "ledger", "");
    using machine = connect(first, written);
    await machine.next(clusterType);
    await sees(caller, "ledger", "");
    machine.subscribe(healthType);
    await sees(caller, "ledger", "10.0.0.8:8080");
    machine.stream.send({ typeUrl: healthType, errorDetail: { code: 500, message: "refused" } });
    await sees(caller, "ledger", "");
    machine.subscribe(healthType);
    await sees(caller, "ledger", "10.0.0.8:8080");
    machine[Symbol.dispose]();
    await sees(caller, "ledger", "");
    const { body } = await kube.call("GET", `${entries}/ledger-1`);
    expect(body).toMatchObject({ spec: objects.workloadentries.spec });
    expect((body["metadata"] as { readonly annotations: object }).annotations).toEqual(
      objects.workloadentries.metadata.annotations,
    );
  });

  test("are known to every server, move to another, and are removed by any server after the grace period", async () => {
    const { servers } = world();
    const [first, second] = servers;
    using caller = new XdsRecording(second?.xdsPort ?? 0);
    await sees(caller, "billing", "");
    const before = caller.history.length;
    using joined = connect(first, registering);
    await sees(caller, "billing", "10.0.0.9:8080");
    using moved = connect(second, registering);
    await moved.next(clusterType);
    using stranded = connect(first, {
      ...registering,
      metadata: { ...registering.metadata, INSTANCE_IPS: "10.0.0.7" },
    });
    await sees(caller, "billing", "10.0.0.7:8080,10.0.0.9:8080");
    expect(await namesAt(leases)).toHaveLength(2);
    first?.kill("SIGKILL");
    // The machine of the lost server does not come back. The other one has moved in time.
    await sees(caller, "billing", "10.0.0.9:8080");
    await eventually("one Lease", async () => (await namesAt(leases)).length === 1, patience);
    await caller.take();
    expect(caller.history.slice(before).filter((line) => !line.includes("10.0.0.9:8080"))).toEqual([]);
    expect(await namesAt(entries)).toEqual(["billing-10.0.0.9", "ledger-1"]);
    joined[Symbol.dispose]();
    stranded[Symbol.dispose]();
    moved[Symbol.dispose]();
    await sees(caller, "billing", "");
    expect(await namesAt(entries)).toEqual(["ledger-1"]);
  });
});
