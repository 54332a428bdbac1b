import { create, toBinary } from "@bufbuild/protobuf";
import { Event_EventType } from "#gen/etcd/kv_pb.js";
import { RangeResponseSchema, TxnResponseSchema, WatchResponseSchema } from "#gen/etcd/rpc_pb.js";
import { EtcdClient } from "../../../src/etcd/etcd-client.ts";
import { etcdLimits } from "../../../src/etcd/etcd-limits.ts";
import type { EtcdEntry } from "../../../src/etcd/etcd-values.ts";
import type { EtcdWatch, WatchStep } from "../../../src/etcd/etcd-watch.ts";
import { RemoteMember } from "../../../src/galley/source/etcd/remote-member.ts";
import { limitsOf } from "../../../src/lib/bounded/limit.ts";
import type { GrpcStreamHandler } from "../../../src/lib/grpc/grpc-stream.ts";
import { framed, messagesIn } from "../frames.ts";
import { orRefusedLater, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

const range = { key: Buffer.from("/mesh/"), end: Buffer.from("/mesh0") };
const header = { clusterId: 3n, revision: 9n };
const kv = { key: Buffer.from("/mesh/a"), value: Buffer.from("one"), modRevision: 9n, createRevision: 4n };

const reason = "etcdserver: permission denied, for a reason that is long enough for changes";

/** The answers of an etcd: to calls, to the pages of a source, and on a watch. */
export const target: FuzzTarget = {
  name: "etcd-answers",
  mode: "async",
  seeds: () => [
    framed([toBinary(RangeResponseSchema, create(RangeResponseSchema, { header, kvs: [kv, kv], more: true }))]),
    framed([toBinary(TxnResponseSchema, create(TxnResponseSchema, transaction))]),
    framed([{ created: true }, { events: [{ kv }, { type: Event_EventType.DELETE, kv }] }, {}].map(watchMessage)),
    framed(
      [
        { canceled: true, compactRevision: 4n },
        { canceled: true, cancelReason: reason },
      ].map(watchMessage),
    ),
  ],
  planted: {
    file: "src/etcd/etcd-watch.ts",
    before: "  if (canceled && compactRevision > 0n)",
    text: "cancelReason",
  },
  check: async (input) => {
    const messages = messagesIn(input);
    for (const message of messages) await checkCalls(message);
    await checkPages(messages);
    const steps = await stepsOf(messages.map((message) => Buffer.from(message)));
    const overwritten = await stepsOf(messages, (message) => message.fill(0));
    promise(steps === overwritten, "a step does not depend on bytes that the transport uses again");
  },
};

const transaction = {
  header,
  succeeded: true,
  responses: [{ response: { case: "responseRange" as const, value: { kvs: [kv] } } }],
};

function watchMessage(response: object): Uint8Array {
  return toBinary(WatchResponseSchema, create(WatchResponseSchema, { header, ...response }));
}

async function checkCalls(message: Uint8Array): Promise<void> {
  using client = answering(() => message);
  const found = await orRefusedLater(() => client.range(range));
  found?.entries.forEach(checkEntry);
  const result = await orRefusedLater(() => client.transact({ success: [] }));
  for (const entry of result?.found ?? []) if (entry !== undefined) checkEntry(entry);
  await orRefusedLater(() => client.grantLease(1));
  await orRefusedLater(() => client.renewLease(1n));
}

/** The last answer comes again and again, so that reading ends only by our own rules. */
async function checkPages(messages: readonly Uint8Array[]): Promise<void> {
  let asked = 0;
  const client = answering(() => messages[Math.min(asked++, messages.length - 1)] ?? Buffer.alloc(0));
  using member = new RemoteMember(client, "/mesh", { ...limitsOf(etcdLimits), keys: 20, pageKeys: 8 });
  await orRefusedLater(async () => {
    for await (const { entries } of member.pages()) {
      promise(entries.length <= 8, "a page has no more keys than were asked for");
      promise(asked <= messages.length + 21, "reading pages ends");
    }
  });
}

function checkEntry({ key, value, revision, since }: EtcdEntry): void {
  promise(typeof key === "string" && Buffer.isBuffer(value), "an entry has a key and a value");
  promise(Number.isFinite(revision) && Number.isFinite(since), "an entry has revisions");
}

/** All steps of a watch with these messages, and the code of its end. `after` runs after each message. */
async function stepsOf(messages: readonly Buffer[], after: (message: Buffer) => void = () => {}): Promise<string> {
  let handler: GrpcStreamHandler | undefined;
  using client = answering(
    () => Buffer.alloc(0),
    (attached) => {
      handler = attached;
    },
  );
  using watch = await client.watch(range, 1);
  for (const message of messages) {
    handler?.onMessage(message);
    after(message);
  }
  handler?.onClose({ type: "server" });
  const steps: WatchStep[] = [];
  await orRefusedLater(() => readInto(watch, steps));
  return JSON.stringify(steps);
}

async function readInto(watch: EtcdWatch, steps: WatchStep[]): Promise<void> {
  for await (const step of watch) {
    if (step.type === "changes") for (const change of step.changes) if (change.type === "put") checkEntry(change);
    steps.push(step);
  }
}

/** A client whose server gives these answers. */
function answering(next: () => Uint8Array, onAttach: (handler: GrpcStreamHandler) => void = () => {}): EtcdClient {
  const stream = {
    peer: { address: "etcd" },
    closed: false,
    queued: 0,
    attach: onAttach,
    send: () => {},
    end: () => {},
  };
  const connection = {
    closed: false,
    call: () => Promise.resolve(next()),
    open: () => stream,
    [Symbol.dispose]: () => {},
  };
  return new EtcdClient({ connect: () => Promise.resolve(connection), credentials: undefined });
}
