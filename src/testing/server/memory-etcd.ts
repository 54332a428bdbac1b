import type { MessageInitShape } from "@bufbuild/protobuf";
import { KV, type RangeRequest, type RangeResponseSchema, type ResponseOpSchema } from "#gen/etcd/rpc_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { FakeEtcd } from "./fake-etcd.ts";

type Answered = MessageInitShape<typeof ResponseOpSchema>;

/** An etcd that keeps its keys in memory. It knows ranges, and transactions without conditions. */
export class MemoryEtcd implements AsyncDisposable {
  readonly values = new Map<string, Buffer>();
  /** Further transactions are refused. */
  room = Number.POSITIVE_INFINITY;
  /** Transactions that are carried out before their answers are lost. */
  lostAnswers = 0;
  readonly #etcd: FakeEtcd;
  #revision = 1;

  private constructor(etcd: FakeEtcd) {
    this.#etcd = etcd;
  }

  static async start(): Promise<MemoryEtcd> {
    const etcd = await FakeEtcd.start();
    const memory = new MemoryEtcd(etcd);
    etcd.answer(KV.method.range, (request) => memory.#range(request));
    etcd.answer(KV.method.txn, ({ success }) => {
      if (memory.room < 1)
        return { status: GrpcStatus.RESOURCE_EXHAUSTED, message: "etcdserver: mvcc: database space exceeded" };
      memory.room -= 1;
      memory.#revision += 1;
      const responses = success.map(({ request }): Answered => {
        if (request.case === "requestPut") memory.values.set(text(request.value.key), Buffer.from(request.value.value));
        if (request.case === "requestDeleteRange") memory.#delete(request.value);
        return {};
      });
      if (memory.lostAnswers > 0) {
        memory.lostAnswers -= 1;
        return { status: GrpcStatus.UNAVAILABLE, message: "etcdserver: request timed out" };
      }
      return { header: memory.#header(), succeeded: true, responses };
    });
    return memory;
  }

  get address(): string {
    return this.#etcd.address;
  }

  async restart(): Promise<void> {
    await this.#etcd.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#etcd[Symbol.asyncDispose]();
  }

  #range({ key, rangeEnd, limit }: RangeRequest): MessageInitShape<typeof RangeResponseSchema> {
    const all = this.#keysIn({ key, rangeEnd });
    const listed = limit === 0n ? all : all.slice(0, Number(limit));
    const kvs = listed.map((name) => ({ key: Buffer.from(name), value: this.values.get(name) ?? Buffer.alloc(0) }));
    return { header: this.#header(), kvs, more: listed.length < all.length };
  }

  #delete(range: Pick<RangeRequest, "key" | "rangeEnd">): void {
    for (const name of this.#keysIn(range)) this.values.delete(name);
  }

  #keysIn({ key, rangeEnd }: Pick<RangeRequest, "key" | "rangeEnd">): readonly string[] {
    const [first, end] = [text(key), text(rangeEnd)];
    const isIn = (name: string) => (end === "" ? name === first : name >= first && name < end);
    return [...this.values.keys()].filter(isIn).toSorted(compareTexts);
  }

  #header() {
    return { clusterId: 1n, revision: BigInt(this.#revision) };
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
