import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, onTestFinished, test } from "vitest";
import { Compare_CompareTarget, KV, Lease, RangeResponseSchema } from "#gen/etcd/rpc_pb.js";
import { MeshError } from "../lib/errors.ts";
import { type GrpcConnection, UnprocessedCall } from "../lib/grpc/grpc-connection.ts";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { FakeEtcd } from "../testing/server/fake-etcd.ts";
import { until } from "../testing/until.ts";
import { EtcdClient } from "./etcd-client.ts";

const key = Buffer.from("/mesh/a");
const header = { clusterId: 0xffff_ffff_ffff_ffffn, revision: 7n };

async function started(): Promise<FakeEtcd> {
  const etcd = await FakeEtcd.start();
  onTestFinished(() => etcd[Symbol.asyncDispose]());
  etcd.answer(KV.method.range, () => ({ header }));
  return etcd;
}

function opened(client: EtcdClient): EtcdClient {
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

describe("a client of etcd", () => {
  test("reads keys with their revisions, and the position of the store", async () => {
    const etcd = await started();
    const value = Buffer.from("the value");
    etcd.answer(KV.method.range, ({ limit, revision }) => ({
      header,
      kvs: [{ key, value, createRevision: revision, modRevision: limit }],
      more: true,
    }));
    const range = await opened(etcd.client()).range({ key, end: Buffer.from("/mesh0"), limit: 6, revision: 5 });
    expect(range).toEqual({
      entries: [{ key: "/mesh/a", value, revision: 6, since: 5 }],
      lastKey: key,
      more: true,
      position: { cluster: "18446744073709551615", revision: 7 },
    });
  });

  test("sends a transaction with its conditions, and returns what it found", async () => {
    const etcd = await started();
    const seen: unknown[] = [];
    etcd.answer(KV.method.txn, (request) => {
      seen.push(request);
      const range = { kvs: [{ key, value: Buffer.from("theirs"), modRevision: 4n, createRevision: 2n }] };
      return {
        header,
        succeeded: false,
        responses: [
          { response: { case: "responseRange" as const, value: range } },
          { response: { case: "responseRange" as const, value: {} } },
          { response: { case: "responsePut" as const, value: {} } },
        ],
      };
    });
    const result = await opened(etcd.client()).transact({
      conditions: [
        { type: "revision", key: "/mesh/a", equals: 3 },
        { type: "lease", key: "/mesh/b", equals: 9_007_199_254_740_993n },
      ],
      success: [
        { type: "put", key: "/mesh/a", value: "ours", lease: 9_007_199_254_740_993n },
        { type: "delete", key: "/mesh/b" },
      ],
      failure: [{ type: "get", key: "/mesh/a" }],
    });
    const theirs = { key: "/mesh/a", value: Buffer.from("theirs"), revision: 4, since: 2 };
    expect(result).toEqual({ succeeded: false, revision: 7, found: [theirs, undefined, undefined] });
    expect(seen).toMatchObject([
      {
        compare: [
          { target: Compare_CompareTarget.MOD, targetUnion: { case: "modRevision", value: 3n } },
          { target: Compare_CompareTarget.LEASE, targetUnion: { case: "lease", value: 9_007_199_254_740_993n } },
        ],
        success: [
          { request: { case: "requestPut", value: { lease: 9_007_199_254_740_993n } } },
          { request: { case: "requestDeleteRange" } },
        ],
        failure: [{ request: { case: "requestRange" } }],
      },
    ]);
  });

  test("grants and renews leases, and reports a lease that has ended", async () => {
    const etcd = await started();
    etcd.answer(Lease.method.leaseGrant, ({ TTL }) => ({ ID: 2n ** 62n + 1n, TTL }));
    etcd.answer(Lease.method.leaseKeepAlive, ({ ID }) => ({ ID, TTL: ID === 5n ? 0n : 9n }));
    const client = opened(etcd.client());
    const lease = await client.grantLease(9);
    expect(lease).toBe(2n ** 62n + 1n);
    await client.renewLease(lease);
    await expect(client.renewLease(5n)).rejects.toThrow("the lease has ended");
  });

  test("uses one connection for all calls, and another one after it was lost", async () => {
    const etcd = await started();
    const client = opened(etcd.client());
    await Promise.all([client.range({ key }), client.range({ key })]);
    await etcd.restart();
    await client.range({ key });
    expect(etcd.methods).toEqual(["Range", "Range", "Range"]);
  });

  test("tries a failed call once, and reports the server's own words", async () => {
    const etcd = await started();
    const message = "etcdserver: request timed out";
    etcd.answer(KV.method.range, () => ({ status: GrpcStatus.UNAVAILABLE, message }));
    await expect(opened(etcd.client()).range({ key })).rejects.toMatchObject({ code: "unavailable", message });
    expect(etcd.methods).toEqual(["Range"]);
  });

  test("reports that nobody listens", async () => {
    const etcd = await started();
    await etcd[Symbol.asyncDispose]();
    const message = `connect ECONNREFUSED ${etcd.address}`;
    await expect(opened(etcd.client()).range({ key })).rejects.toMatchObject({ code: "unavailable", message });
  });

  test("does not wait longer than the limit, and can be called again", async () => {
    const etcd = await started();
    const never = Promise.withResolvers<object>();
    etcd.answer(KV.method.range, () => never.promise);
    const client = opened(etcd.client(undefined, { callMs: 50 }));
    await expect(client.range({ key })).rejects.toMatchObject({ code: "timeout", message: "no answer in time" });
    etcd.answer(KV.method.range, () => ({ header }));
    expect((await client.range({ key })).position.revision).toBe(7);
    never.resolve({});
  });

  test("refuses an answer with too many fields before it is decoded", async () => {
    const etcd = await started();
    etcd.answer(KV.method.range, () => ({ header, kvs: Array.from({ length: 100 }, () => ({})) }));
    const client = opened(etcd.client(undefined, { messageFields: 50 }));
    await expect(client.range({ key })).rejects.toMatchObject({
      code: "limit-exceeded",
      message: "a message of etcd exceeds the limit of 50 fields: at least 51 came",
    });
  });

  test("refuses an answer without a position", async () => {
    const etcd = await started();
    etcd.answer(KV.method.range, () => ({}));
    await expect(opened(etcd.client()).range({ key })).rejects.toMatchObject({ code: "peer-protocol" });
  });

  test("is useless after it was closed, and its open calls end", async () => {
    const etcd = await started();
    etcd.answer(KV.method.range, () => new Promise(() => {}));
    const client = etcd.client();
    const asked = client.range({ key });
    await until(() => etcd.calls.length === 1);
    client[Symbol.dispose]();
    await expect(asked).rejects.toThrow("the connection was lost");
    await expect(client.range({ key })).rejects.toThrow("the client of etcd is closed");
  });
});

describe("a client with a user", () => {
  const user = "mesh";
  const withPassword = (password: string) => () => Promise.resolve({ user, password });

  test("logs in once for all calls and watches", async () => {
    const etcd = await started();
    etcd.password = "secret";
    const client = opened(etcd.client(withPassword("secret")));
    await Promise.all([client.range({ key }), client.range({ key })]);
    using _watch = await client.watch({ key, end: key }, 1);
    await until(() => etcd.watches.length === 1);
    expect(etcd.methods).toEqual(["Authenticate", "Range", "Range", "Watch"]);
    expect(etcd.calls.map(({ token }) => token)).toEqual([undefined, "token-1", "token-1", "token-1"]);
  });

  test("logs in again when the server has forgotten its token, once for all calls", async () => {
    const etcd = await started();
    etcd.password = "secret";
    const client = opened(etcd.client(withPassword("secret")));
    await client.range({ key });
    etcd.forgetTokens();
    const before = etcd.calls.length;
    await Promise.all([client.range({ key }), client.range({ key }), client.range({ key })]);
    const since = etcd.calls.slice(before);
    expect(since.filter(({ method }) => method === "Authenticate")).toHaveLength(1);
    expect(since.filter(({ token }) => token === "token-2")).toHaveLength(3);
  });

  test("logs in again when roles have changed since its login", async () => {
    const etcd = await started();
    etcd.password = "secret";
    let isOld = true;
    etcd.answer(KV.method.range, () => {
      if (!isOld) return { header };
      isOld = false;
      return { status: GrpcStatus.INVALID_ARGUMENT, message: "etcdserver: revision of auth store is old" };
    });
    await opened(etcd.client(withPassword("secret"))).range({ key });
    expect(etcd.methods).toEqual(["Authenticate", "Range", "Authenticate", "Range"]);
  });

  test("gives up when the new token is refused too", async () => {
    const etcd = await started();
    etcd.password = "secret";
    const refusal = { status: GrpcStatus.UNAUTHENTICATED, message: "etcdserver: invalid auth token" };
    etcd.answer(KV.method.range, () => refusal);
    await expect(opened(etcd.client(withPassword("secret"))).range({ key })).rejects.toThrow(refusal.message);
    expect(etcd.methods).toEqual(["Authenticate", "Range", "Authenticate", "Range"]);
  });

  test("reports a wrong password without repeating it, and reads the password again for the next call", async () => {
    const etcd = await started();
    etcd.password = "secret";
    let password = "wrong-secret";
    const client = opened(etcd.client(() => Promise.resolve({ user, password })));
    const message = "etcdserver: authentication failed, invalid user ID or password";
    await expect(client.range({ key })).rejects.toMatchObject({ message });
    password = "secret";
    await client.range({ key });
    expect(etcd.methods).toEqual(["Authenticate", "Authenticate", "Range"]);
  });

  test("calls a server without users without a token, until it has users", async () => {
    const etcd = await started();
    const client = opened(etcd.client(withPassword("secret")));
    await client.range({ key });
    etcd.password = "secret";
    await client.range({ key });
    expect(etcd.calls.filter(({ method }) => method === "Range").map(({ token }) => token)).toEqual([
      undefined,
      undefined,
      "token-1",
    ]);
  });

  test("reports a call that the user may not make", async () => {
    const etcd = await started();
    etcd.password = "secret";
    const refusal = { status: GrpcStatus.PERMISSION_DENIED, message: "etcdserver: permission denied" };
    etcd.answer(KV.method.range, () => refusal);
    await expect(opened(etcd.client(withPassword("secret"))).range({ key })).rejects.toThrow(refusal.message);
    expect(etcd.methods).toEqual(["Authenticate", "Range"]);
  });
});

describe("a call that the server has not carried out", () => {
  const position = toBinary(RangeResponseSchema, create(RangeResponseSchema, { header }));
  const unprocessed = new UnprocessedCall("goodbye");

  test("is sent again on another connection", async () => {
    const { client, count } = withAnswers(unprocessed, position);
    expect((await client.range({ key })).position.revision).toBe(7);
    expect(count()).toBe(2);
  });

  test("is sent again once", async () => {
    const { client, count } = withAnswers(unprocessed, unprocessed, position);
    await expect(client.range({ key })).rejects.toBe(unprocessed);
    expect(count()).toBe(2);
  });

  test("is not one that may have been carried out", async () => {
    const lost = new MeshError("unavailable", "the connection was lost");
    const { client, count } = withAnswers(lost, position);
    await expect(client.range({ key })).rejects.toBe(lost);
    expect(count()).toBe(1);
  });
});

/** A client whose connections answer one call each, in this order, and are closed afterwards. */
function withAnswers(...answers: readonly (Uint8Array | Error)[]) {
  let connections = 0;
  const connect = () => Promise.resolve(new OneCall(answers[connections++]));
  return { client: opened(new EtcdClient({ connect, credentials: undefined })), count: () => connections };
}

/** A connection that is closed after a call with this result. */
class OneCall implements GrpcConnection {
  readonly #result: Uint8Array | Error | undefined;
  closed = false;

  constructor(result: Uint8Array | Error | undefined) {
    this.#result = result;
  }

  call(): Promise<Uint8Array> {
    this.closed = true;
    const result = this.#result;
    return result instanceof Uint8Array ? Promise.resolve(result) : Promise.reject(result ?? new Error("no result"));
  }

  open(): never {
    throw new Error("not used");
  }

  [Symbol.dispose](): void {}
}
