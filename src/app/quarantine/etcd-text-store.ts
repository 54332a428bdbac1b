import type { Etcd3, IKeyValue } from "etcd3";
import { openEtcd } from "../../galley/source/etcd/etcd-client.ts";
import { etcdReason } from "../../galley/source/etcd/etcd-reason.ts";
import { openMember } from "../../galley/source/etcd/remote-member.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { repeatedWatch } from "../ca/repeated-watch.ts";
import type { EtcdPlace } from "../sources/etcd.ts";
import type { StoredText, TextStore } from "./text-store.ts";

/** A text under one key of etcd, beside the prefix of the mesh's objects. Its revision is the one that wrote the key. */
export class EtcdTextStore implements TextStore {
  readonly #place: EtcdPlace;
  readonly #clock: SupervisedClock;
  readonly #prefix: string;
  #client: Promise<Etcd3> | undefined;
  /** Counts the members that were tried. */
  #tried = 0;

  constructor(place: EtcdPlace, clock: SupervisedClock) {
    this.#place = place;
    this.#clock = clock;
    this.#prefix = `${place.prefix}-quarantine`;
  }

  /** Asks each member once. */
  async read(): Promise<StoredText | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call(async (client) => {
          const { kvs } = await client.kv.range({ key: Buffer.from(this.#key) });
          return kvs.map(storedIn).at(0);
        });
      } catch (thrown) {
        if (attempt >= this.#place.hosts.length) throw thrown;
      }
    }
  }

  /** Tries once. After a lost answer the text may be replaced or not: the next reading shows it. */
  async replace(previous: string | undefined, next: string): Promise<StoredText> {
    return await this.#call(async (client) => {
      const { succeeded, header, responses } = await client
        .if(this.#key, "Mod", "==", Number(previous ?? 0))
        .then(client.put(this.#key).value(next))
        .else(client.get(this.#key))
        .commit();
      if (succeeded) return { text: next, revision: header.revision };
      const [kv] = responses[0]?.response_range.kvs ?? [];
      if (kv === undefined) throw new MeshError("unavailable", `etcd: ${this.#key} was deleted at the same time`);
      return storedIn(kv);
    });
  }

  watch(onChange: (stored: StoredText) => void, onError: (error: unknown) => void): { stop(): void } {
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

  get #key(): string {
    return `${this.#prefix}/refusals`;
  }

  async #watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    using member = await openMember(this.#place, this.#nextHost(), this.#prefix);
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
}

function storedIn({ value, mod_revision }: IKeyValue): StoredText {
  return { text: value.toString(), revision: mod_revision };
}
