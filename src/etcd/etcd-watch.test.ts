import { expect, onTestFinished, test } from "vitest";
import { Event_EventType } from "#gen/etcd/kv_pb.js";
import type { Limits } from "../lib/bounded/limit.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { FakeEtcd, type FakeWatch } from "../testing/server/fake-etcd.ts";
import { until } from "../testing/until.ts";
import type { etcdLimits } from "./etcd-limits.ts";
import type { EtcdWatch, WatchStep } from "./etcd-watch.ts";

const range = { key: Buffer.from("/mesh/"), end: Buffer.from("/mesh0") };
const header = { clusterId: 3n, revision: 9n };
const created = { header, created: true };
const createdStep: WatchStep = { type: "created", position: { cluster: "3", revision: 9 } };

/** A watch, the server's end of it, and the steps until it ended with an error. */
async function watching(limits: Partial<Limits<typeof etcdLimits>> = {}) {
  const etcd = await FakeEtcd.start();
  const client = etcd.client(undefined, limits);
  onTestFinished(async () => {
    client[Symbol.dispose]();
    await etcd[Symbol.asyncDispose]();
  });
  const watch = await client.watch(range, 8);
  await until(() => etcd.watches[0]?.requests.length === 1);
  const [server] = etcd.watches;
  if (server === undefined) throw new Error("the server has the watch");
  return { etcd, client, watch, server };
}

async function stepsOf(watch: EtcdWatch): Promise<readonly (WatchStep | string)[]> {
  const steps: (WatchStep | string)[] = [];
  try {
    for await (const step of watch) steps.push(step);
  } catch (thrown) {
    steps.push(`${(thrown as { code: string }).code}: ${(thrown as Error).message}`);
  }
  return steps;
}

test("a watch asks for whole transactions of its range, with progress", async () => {
  const { server } = await watching();
  const value = { key: range.key, rangeEnd: range.end, startRevision: 8n, progressNotify: true, fragment: false };
  expect(server.requests).toMatchObject([{ case: "createRequest", value }]);
});

test("a watch reports changes and progress in order", async () => {
  const { watch, server } = await watching();
  server.tell(created);
  const put = { key: Buffer.from("/mesh/a"), value: Buffer.from("one"), modRevision: 10n, createRevision: 4n };
  const gone = { key: Buffer.from("/mesh/b"), modRevision: 10n };
  server.tell({ header, events: [{ kv: put }, { type: Event_EventType.DELETE, kv: gone }] });
  server.tell({ header: { ...header, revision: 12n } });
  server.end(GrpcStatus.OK);
  expect(await stepsOf(watch)).toEqual([
    createdStep,
    {
      type: "changes",
      changes: [
        { type: "put", key: "/mesh/a", value: Buffer.from("one"), revision: 10, since: 4 },
        { type: "delete", key: "/mesh/b", revision: 10 },
      ],
    },
    { type: "progress", revision: 12 },
    "unavailable: the server ended the watch",
  ]);
});

test("a watch asks for progress on demand", async () => {
  const { watch, server } = await watching();
  watch.askProgress();
  await until(() => server.requests.length === 2);
  expect(server.requests[1]?.case).toBe("progressRequest");
});

test.each<readonly [string, (server: FakeWatch) => void, readonly unknown[]]>([
  [
    "compacted changes",
    (server) => server.tell({ header, canceled: true, compactRevision: 12n }),
    [{ type: "compacted" }],
  ],
  [
    "a cancellation with its reason",
    (server) => server.tell({ header, created: true, canceled: true, cancelReason: "permission denied" }),
    ["unavailable: the server ended the watch: permission denied"],
  ],
  [
    "a cancellation without a reason",
    (server) => server.tell({ header, canceled: true }),
    ["unavailable: the server ended the watch: no reason given"],
  ],
  [
    "the status of the server",
    (server) => server.end(GrpcStatus.UNAVAILABLE, "etcdserver: no leader"),
    ["unavailable: etcdserver: no leader"],
  ],
  [
    "bytes that are no message",
    (server) => server.tellBytes(Buffer.from([0x0a])),
    [expect.stringMatching(/^peer-protocol: /u)],
  ],
  [
    "a change without a key",
    (server) => server.tell({ header, events: [{}] }),
    ["peer-protocol: etcd sent a change without a key"],
  ],
])("a watch reports %s", async (_what, act, expected) => {
  const { watch, server } = await watching();
  act(server);
  server.end(GrpcStatus.OK);
  expect((await stepsOf(watch)).slice(0, 1)).toEqual(expected);
});

test("a lost connection ends a watch, after the steps that came before", async () => {
  const { etcd, watch, server } = await watching();
  server.tell(created);
  const steps = stepsOf(watch);
  await etcd.restart();
  expect(await steps).toEqual([createdStep, expect.stringMatching(/^unavailable: /u)]);
});

test("a message over the limit ends a watch with the limit", async () => {
  const { watch, server } = await watching({ messageBytes: 1_000 });
  server.tell({ header, cancelReason: "x".repeat(2_000) });
  expect(await stepsOf(watch)).toEqual([expect.stringMatching(/^limit-exceeded: .*the limit of 1000 bytes$/u)]);
});

test("a reader gets the reason of a failed watch, and the server its end", async () => {
  const { client, watch, server } = await watching();
  watch.fail(new Error("the heartbeat failed"));
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toThrow("the heartbeat failed");
  await until(() => server.closed);
  watch.askProgress();
  // The connection stays for other calls.
  using _other = await client.watch(range, 8);
});
