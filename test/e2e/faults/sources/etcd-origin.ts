import { kinds } from "../../../../src/config/kinds.ts";
import { objectKey } from "../../../../src/galley/source/etcd/object-key.ts";
import { Etcd } from "../../support/registry/etcd.ts";
import { constantObjects, type WrittenObject } from "../oracle/generations.ts";
import { BreakableWay } from "./breakable-way.ts";
import type { Origin, SourceSubject } from "./origin.ts";
import { answersSlowly } from "./slow-way.ts";

const prefix = "/mesh";

/** A real etcd, behind a way that can break. */
export class EtcdOrigin implements Origin {
  readonly args = [];
  readonly etcd: Etcd;
  readonly way: BreakableWay;
  readonly #texts = new Map<string, string>();

  private constructor(etcd: Etcd, way: BreakableWay) {
    this.etcd = etcd;
    this.way = way;
  }

  /** There is a backup of the constant objects. */
  static async open(): Promise<EtcdOrigin> {
    const etcd = await Etcd.start();
    const origin = new EtcdOrigin(etcd, await BreakableWay.to(etcd.port));
    await origin.write(constantObjects());
    await etcd.backup();
    return origin;
  }

  get source(): string {
    return `etcd://127.0.0.1:${this.way.port}${prefix}?heartbeat=500ms`;
  }

  async write(objects: readonly WrittenObject[]): Promise<void> {
    for (const object of objects) this.#texts.set(keyOf(object), JSON.stringify(object));
    await this.#put(objects.map((object) => [keyOf(object), JSON.stringify(object)]));
  }

  /** Cuts every document after half of its text. */
  async cutDocuments(): Promise<void> {
    await this.#put(Array.from(this.#texts, ([key, text]) => [key, text.slice(0, text.length / 2)]));
  }

  /** Writes everything again. */
  async mend(): Promise<void> {
    await this.#put([...this.#texts]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.way[Symbol.asyncDispose]();
    await this.etcd[Symbol.asyncDispose]();
  }

  /** In one transaction. */
  async #put(values: readonly (readonly [key: string, value: string])[]): Promise<void> {
    const puts = values.map(([key, value]) => ({ request_put: { key: Buffer.from(key), value: Buffer.from(value) } }));
    await this.etcd.client.kv.txn({ success: puts });
  }
}

export const etcdSubject: SourceSubject<EtcdOrigin> = {
  name: "an etcd",
  peers: ["kube"],
  open: () => EtcdOrigin.open(),
  faults: [
    {
      name: "is killed, and starts again",
      effect: "The source is stale and keeps its objects. It resumes at its revision.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      begin: ({ etcd }) => etcd.kill(),
      async end({ etcd }, next) {
        await etcd.restart();
        await next();
      },
    },
    {
      name: "accepts connections and does not answer",
      effect: "The source is stale after one heartbeat without an answer, and connects again.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      begin: ({ way }) => way.silence(),
      async end({ way }, next) {
        await next();
        way.heal();
      },
    },
    {
      name: "answers in no protocol",
      effect: "The source is stale and keeps its objects.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      begin: ({ way }) => way.garble(),
      async end({ way }, next) {
        await next();
        way.heal();
      },
    },
    answersSlowly({ seconds: 15 }),
    {
      name: "holds half documents",
      effect: "Each object keeps its last good version, policies included. Issues name the keys.",
      bound: { seconds: 5 },
      form: "whole",
      said: /authorizationpolicies\/shop\/deny: /u,
      begin: (origin) => origin.cutDocuments(),
      async end(origin, next) {
        await origin.mend();
        await next();
      },
    },
    {
      name: "comes back empty",
      effect: "Objects stay in use until the store has listed none of them for 30 s. The source is stale and says so.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: the store lists none of the \d+ objects that it had/u,
      async begin({ etcd }) {
        await etcd.kill();
        await etcd.replace();
      },
      async end(origin, next) {
        await origin.mend();
        await next();
      },
    },
    {
      name: "is restored from a backup with the same id, and has other objects at the revisions that were read before",
      effect: "The source finds that the last object differs, reads everything again and sends the differences.",
      bound: { seconds: 15 },
      form: "whole",
      said: /^stale: /u,
      async begin({ etcd, way }) {
        way.silence();
        await etcd.kill();
      },
      async end({ etcd, way }, next) {
        await etcd.restore();
        // Once for the constant objects, once for the first generation: the next one gets the revision of the second.
        for (const time of ["first", "second"]) await etcd.client.put("/elsewhere").value(time);
        await next();
        way.heal();
      },
    },
  ],
};

function keyOf({ apiVersion, kind, metadata }: WrittenObject): string {
  const [group = ""] = apiVersion.split("/");
  const plural = kinds.find((row) => row.kind === kind && row.group === group)?.plural ?? "";
  return objectKey(prefix, { group, plural, ...metadata });
}
