import { expect, onTestFinished, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeClient } from "../../kube/kube-client.ts";
import { Supervisor } from "../../lib/supervisor.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { valuesOf } from "../../testing/server/wired-server.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { turns } from "../../testing/until.ts";
import { defaultOptions, type Options } from "../options/options.ts";
import type { SupervisedPart } from "../parts/supervised-parts.ts";
import { clusterOf, elected } from "./elected.ts";

interface Lease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec: { readonly holderIdentity: string };
}

/** Work on the leader, in a cluster with one Lease that a test can take away, or make fail. */
function candidate() {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const supervisor = new Supervisor<SupervisedPart>({
    clock,
    onFailure: (part, error, facts) => void failures.push([part, String(error), facts]),
  });
  const logger = new RecordingLogger();
  const metrics = new Metrics();
  const told: string[] = [];
  const cluster = { lease: undefined as Lease | undefined, fault: undefined as Error | undefined, version: 0 };
  const paths: string[] = [];
  const client = {
    async json({ path, body }: { readonly path: string; readonly body?: Pick<Lease, "spec"> }) {
      paths.push(path);
      if (cluster.fault !== undefined) throw cluster.fault;
      if (body !== undefined) {
        cluster.version += 1;
        cluster.lease = { metadata: { resourceVersion: String(cluster.version) }, spec: body.spec };
      }
      if (cluster.lease === undefined) throw new KubeError({ reason: "NotFound" }, { code: 404 });
      return cluster.lease;
    },
    [Symbol.dispose]: () => void told.push("client closed"),
  };
  const led = {
    start: () => void told.push("started"),
    stop: async () => void told.push("stopped"),
  };
  const work = elected(
    { supervisor, metrics },
    { client: client as unknown as KubeClient, namespace: "mesh" },
    { lease: "binnacle-work", led, logger },
  );
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await turns(5);
    }
  };
  const leads = () => valuesOf(metrics, "binnacle_leader");
  return { work, cluster, led, told, paths, pass, logger, failures, leads };
}

test("the leader does the work, and frees the Lease and the client when it stops", async () => {
  const { work, cluster, told, paths, pass, logger, leads } = candidate();
  expect(await leads()).toEqual([]);
  await work.start();
  await pass(4_000);
  expect(await leads()).toEqual(['{lease="binnacle-work"} 1']);
  expect([work.name, told]).toEqual(["binnacle-work", ["started"]]);
  expect(paths[0]).toBe("/apis/coordination.k8s.io/v1/namespaces/mesh/leases/binnacle-work");
  const holder = cluster.lease?.spec.holderIdentity;
  expect(logger.lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
    { level: "info", fields: { lease: "mesh/binnacle-work", leader: holder, ours: true } },
  ]);
  await work.stop();
  expect([told, cluster.lease?.spec.holderIdentity]).toEqual([["started", "stopped", "client closed"], ""]);
  expect(await leads()).toEqual([]);
});

test("while another process leads, this one logs the leader and does no work", async () => {
  const { work, cluster, told, pass, logger } = candidate();
  const spec = { holderIdentity: "another", leaseDurationSeconds: 3_600 };
  cluster.lease = { metadata: { resourceVersion: "other" }, spec };
  await work.start();
  await pass(4_000);
  expect([told, logger.lines.map(({ fields }) => fields)]).toEqual([
    [],
    [{ lease: "mesh/binnacle-work", leader: "another", ours: false }],
  ]);
  await work.stop();
});

test("a cluster that cannot be asked is one line for each reason, and again after a leader was seen", async () => {
  const { work, cluster, pass, logger } = candidate();
  const reasons = () =>
    logger.lines.flatMap(({ level, fields }) => (level === "warn" && "reason" in fields ? [fields.reason] : []));
  cluster.fault = new Error("planted");
  await work.start();
  await pass(10_000);
  expect(reasons()).toEqual(["planted"]);
  cluster.fault = undefined;
  await pass(10_000);
  cluster.fault = new Error("planted");
  await pass(4_000);
  expect(reasons()).toEqual(["planted", "planted"]);
  cluster.fault = undefined;
  await work.stop();
});

test("work that cannot start is a failure of the part, with its Lease", async () => {
  const { work, led, pass, failures } = candidate();
  led.start = () => {
    throw new Error("planted");
  };
  await work.start();
  await pass(4_000);
  expect(failures).toEqual([["leader election", "Error: planted", { lease: "binnacle-work" }]]);
  await work.stop();
});

/** A kubeconfig with two contexts, of which only the second has a namespace. */
async function kubeconfig(): Promise<string> {
  const files = await TempTree.create();
  onTestFinished(() => files.close());
  const config = {
    clusters: [{ name: "one", cluster: { server: "http://127.0.0.1:1" } }],
    users: [{ name: "test", user: { token: "x" } }],
    contexts: [
      { name: "plain", context: { cluster: "one", user: "test" } },
      { name: "named", context: { cluster: "one", user: "test", namespace: "team" } },
    ],
    "current-context": "plain",
  };
  await files.write("kubeconfig", JSON.stringify(config));
  return files.path("kubeconfig");
}

test.each<[string, Partial<Options>, string | undefined, string]>([
  ["of the settings", { leaseNamespace: "leases" }, "named", "leases"],
  ["of the context", {}, "named", "team"],
  ["default, if neither has one", {}, undefined, "default"],
])("Leases are in the namespace %s", async (_, settings, context, namespace) => {
  const options = { ...defaultOptions(), kubeconfig: await kubeconfig(), ...settings };
  const cluster = clusterOf({ options, clock: new FakeClock() }, { flag: "analysis-status", context });
  expect(cluster.namespace).toBe(namespace);
  cluster.client[Symbol.dispose]();
});
