import type { Etcd3, IKeyValue } from "etcd3";
import type { RootStore, StoredRoots } from "../../ca/root-store.ts";
import { decodeRoots, encodeRoots, type Roots } from "../../ca/roots.ts";
import { openEtcd } from "../../galley/source/etcd/etcd-client.ts";
import { etcdReason } from "../../galley/source/etcd/etcd-reason.ts";
import { openMember } from "../../galley/source/etcd/remote-member.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { EtcdPlace } from "../sources/etcd.ts";
import { repeatedWatch } from "./repeated-watch.ts";

/**
 * The prefix of the roots. It is beside the prefix of the mesh's objects, because readers of the objects must not read
 * private keys.
 */
function rootPrefix({ prefix }: EtcdPlace): string {
  return `${prefix}-ca`;
}

/** Roots under one key of etcd. Their revision is the revision that wrote the key. */
export class EtcdRootStore implements RootStore {
  readonly #place: EtcdPlace;
  readonly #clock: SupervisedClock;
  readonly #key: string;
  #client: Promise<Etcd3> | undefined;
  /** Counts the members that were tried. */
  #tried = 0;

  constructor(place: EtcdPlace, clock: SupervisedClock) {
    this.#place = place;
    this.#clock = clock;
    this.#key = `${rootPrefix(place)}/roots`;
  }

  /** Asks each member once. */
  async read(): Promise<StoredRoots | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call(async (client) => {
          const { kvs } = await client.kv.range({ key: Buffer.from(this.#key) });
          return kvs.map((kv) => this.#stored(kv)).at(0);
        });
      } catch (thrown) {
        if (attempt >= this.#place.hosts.length || isBroken(thrown)) throw thrown;
      }
    }
  }

  /** Tries once. After a lost answer the roots may be replaced or not: the next reading shows it. */
  async replace(previous: string | undefined, next: Roots): Promise<StoredRoots> {
    return await this.#call(async (client) => {
      const { succeeded, header, responses } = await client
        .if(this.#key, "Mod", "==", Number(previous ?? 0))
        .then(client.put(this.#key).value(encodeRoots(next).reveal()))
        .else(client.get(this.#key))
        .commit();
      if (succeeded) return { roots: next, revision: header.revision };
      const [kv] = responses[0]?.response_range.kvs ?? [];
      if (kv === undefined) throw new MeshError("unavailable", `etcd: ${this.#key} was deleted at the same time`);
      return this.#stored(kv);
    });
  }

  watch(onChange: (stored: StoredRoots) => void, onError: (error: unknown) => void): { stop(): void } {
    return repeatedWatch({
      clock: this.#clock,
      watch: (changed, signal) => this.#watchOnce(changed, signal),
      changed: async () => {
        const stored = await this.read();
        if (stored !== undefined) onChange(stored);
      },
      onError,
    });
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    (await client)?.close();
  }

  async #watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    using member = await openMember(this.#place, this.#nextHost(), rootPrefix(this.#place));
    const { revision } = await member.position();
    using watch = await member.watch(revision + 1);
    const end = () => watch.fail(new MeshError("cancelled", "the watch was stopped"));
    signal.addEventListener("abort", end);
    try {
      changed();
      for await (const { type } of watch) if (type !== "progress") changed();
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** After a failure the next call uses the next member. */
  async #call<T>(work: (client: Etcd3) => Promise<T>): Promise<T> {
    this.#client ??= openEtcd(this.#place, this.#nextHost());
    const opening = this.#client;
    try {
      return await work(await opening);
    } catch (thrown) {
      if (isBroken(thrown)) throw thrown;
      if (this.#client === opening) await this.close().catch(() => undefined);
      throw new MeshError("unavailable", `etcd: ${etcdReason(thrown)}`, { cause: thrown });
    }
  }

  #nextHost(): string {
    const { hosts } = this.#place;
    const host = hosts[this.#tried % hosts.length] ?? "";
    this.#tried += 1;
    return host;
  }

  #stored({ value, mod_revision }: IKeyValue): StoredRoots {
    const roots = decodeRoots(value.toString());
    if (roots === undefined)
      throw new MeshError("bad-config", `etcd: the value of ${this.#key} cannot be read as roots`);
    return { roots, revision: mod_revision };
  }
}

/** A connection cannot mend a value that cannot be read. */
function isBroken(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "bad-config";
}
