import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FleetMember } from "../../src/fleet/connected-proxy.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { clusterEdits } from "../../src/testing/mesh/cluster-edits.ts";
import { meshEdits } from "../../src/testing/mesh/mesh-edits.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { until } from "../../src/testing/until.ts";
import { parseAddress } from "../../src/transport/listen-address.ts";
import { clusterType, listenerType } from "../../src/xds/type-urls.ts";
import { SotwClient } from "../e2e/support/xds/ads-client.ts";
import { holdingOf } from "../e2e/support/xds/holdings.ts";
import { type DocumentEdit, JoinedAndSplit } from "./split/joined-and-split.ts";

const steady = { rejects: false, bytesPerSecond: undefined, reconnectEveryMs: undefined, targets: undefined };
const hosts = ["one.a.svc.cluster.local:80", "two.a.svc.cluster.local:80", "one.a.svc.cluster.local:81"];

const members: readonly FleetMember[] = [
  { ...steady, mode: "delta", node: node("sidecar~10.0.0.1~x-0.a~a.svc.cluster.local", "a", { app: "x" }) },
  { ...steady, mode: "sotw", node: node("router~10.0.0.9~edge-0.a~a.svc.cluster.local", "a", { app: "edge" }) },
  {
    ...steady,
    mode: "sotw",
    node: node("sidecar~10.0.0.3~x-1.a~a.svc.cluster.local", "a", {}, { GENERATOR: "grpc" }),
    targets: hosts,
  },
];

function node(id: string, namespace: string, labels: Readonly<Record<string, string>>, more = {}) {
  return { id, cluster: "test", metadata: { NAMESPACE: namespace, LABELS: labels, ...more } };
}

function portOf(address: string): number {
  const parsed = parseAddress(address);
  return parsed?.type === "tcp" ? parsed.port : 0;
}

/** The resources of new proxies, each with a hash of its bytes, and the versions of whole types. */
async function servedAt(address: string) {
  const port = portOf(address);
  const fleet = new Fleet({ address: { host: "127.0.0.1", port }, members, perSecond: undefined });
  fleet.start();
  try {
    await until(() => fleet.report.inSync === members.length);
    return { held: fleet.proxies.map(holdingOf), versions: await versionsAt(port) };
  } finally {
    fleet.stop();
  }
}

async function versionsAt(port: number): Promise<readonly string[]> {
  const versions = members.slice(0, 2).map(async ({ node: { id, metadata } }) => {
    using client = new SotwClient(port, { id, metadata: { ...metadata } });
    const found: string[] = [];
    for (const type of [clusterType, listenerType]) {
      client.subscribe(type);
      const response = await client.next(type);
      client.ack(response);
      found.push(response.versionInfo, ...response.resources.map(({ value }) => Buffer.from(value).toString("base64")));
    }
    return found;
  });
  return (await Promise.all(versions)).flat();
}

const written: fc.Arbitrary<readonly (readonly DocumentEdit[])[]> = meshEdits.map((batches) =>
  batches.map((batch) =>
    batch.map(({ apiVersion, kind, namespace, name, spec }) => ({
      document: { apiVersion, kind, metadata: { namespace, name }, spec: spec ?? {} },
      deleted: spec === undefined,
    })),
  ),
);

const registered: fc.Arbitrary<readonly (readonly DocumentEdit[])[]> = clusterEdits.map((batches) =>
  batches.map((batch) =>
    batch.flatMap(({ object, deleted }) => (object.kind === undefined ? [] : [{ document: object, deleted }])),
  ),
);

/** The objects of users and of a cluster, batch by batch. */
const stories = fc
  .tuple(written, registered)
  .map(([users, cluster]) =>
    users.flatMap((batch, index) => [batch, cluster[index] ?? []]).filter((b) => b.length > 0),
  );

let both: JoinedAndSplit;
beforeAll(async () => {
  both = await JoinedAndSplit.open();
});
afterAll(() => both[Symbol.asyncDispose]());

test("Galley and Pilot in two processes serve the same bytes and versions as in one, after every edit", async () => {
  await fc.assert(
    fc.asyncProperty(stories, async (batches) => {
      both.clear();
      for (const batch of batches) {
        both.apply(batch);
        await both.settle();
        const [joined, apart] = await Promise.all(both.addresses.map(servedAt));
        expect(apart).toEqual(joined);
      }
      expect(both.problems).toEqual([]);
    }),
    { seed, numRuns: runs(10) },
  );
}, 3_600_000);
