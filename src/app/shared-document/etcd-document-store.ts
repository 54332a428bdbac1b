import type { Etcd3, IKeyValue } from "etcd3";
import { type EtcdAccess, openEtcd } from "../../galley/source/etcd/etcd-client.ts";
import { etcdReason } from "../../galley/source/etcd/etcd-reason.ts";
import { openMember } from "../../galley/source/etcd/remote-member.ts";
import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { repeatedWatch } from "./repeated-watch.ts";

/** How a document becomes a text. */
export interface TextFormat<Content> {
  readonly encode: (content: Content) => string;
  /** Undefined if the text cannot be read. */
  readonly decode: (text: string) => Content | undefined;
}

export interface EtcdDocumentStoreOptions<Content> {
  readonly access: EtcdAccess;
  readonly clock: SupervisedClock;
  /** The key is `PREFIX/NAME`. The prefix is without a slash at the end, and only for this document. */
  readonly prefix: string;
  readonly name: string;
  readonly format: TextFormat<Content>;
}

/** A document under one key of etcd. Its revision is the revision that wrote the key. */
export class EtcdDocumentStore<Content> implements DocumentStore<Content> {
  readonly #options: EtcdDocumentStoreOptions<Content>;
  readonly #key: string;
  #client: Promise<Etcd3> | undefined;
  /** Counts the members that were tried. */
  #tried = 0;

  constructor(options: EtcdDocumentStoreOptions<Content>) {
    this.#options = options;
    this.#key = `${options.prefix}/${options.name}`;
  }

  /** Asks each member once. Rejects with `bad-config` if the value cannot be read. */
  async read(): Promise<StoredDocument<Content> | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#call(async (client) => {
          const { kvs } = await client.kv.range({ key: Buffer.from(this.#key) });
          return kvs.map((kv) => this.#stored(kv)).at(0);
        });
      } catch (thrown) {
        if (attempt >= this.#options.access.hosts.length || isUnreadable(thrown)) throw thrown;
      }
    }
  }

  /** Tries once. After a lost answer the document may be replaced or not: the next reading shows it. */
  async replace(previous: string | undefined, next: Content): Promise<StoredDocument<Content>> {
    const stored = (await this.#swap(previous, next)) ?? (await this.#swap(undefined, next));
    if (stored === undefined) throw new MeshError("unavailable", `etcd: ${this.#key} was deleted at the same time`);
    return stored;
  }

  watch(onChange: () => void, onError: (error: unknown) => void): { stop(): void } {
    const { clock } = this.#options;
    return repeatedWatch({ clock, watch: (changed, signal) => this.#watchOnce(changed, signal), onChange, onError });
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    (await client)?.close();
  }

  /** Undefined if nothing is stored, against the expectation. */
  async #swap(previous: string | undefined, next: Content): Promise<StoredDocument<Content> | undefined> {
    return await this.#call(async (client) => {
      const { succeeded, header, responses } = await client
        .if(this.#key, "Mod", "==", Number(previous ?? 0))
        .then(client.put(this.#key).value(this.#options.format.encode(next)))
        .else(client.get(this.#key))
        .commit();
      if (succeeded) return { content: next, revision: header.revision };
      const [kv] = responses[0]?.response_range.kvs ?? [];
      return kv && this.#stored(kv);
    });
  }

  async #watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    const { access, prefix } = this.#options;
    using member = await openMember(access, this.#nextHost(), prefix);
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
    this.#client ??= openEtcd(this.#options.access, this.#nextHost());
    const opening = this.#client;
    try {
      return await work(await opening);
    } catch (thrown) {
      if (isUnreadable(thrown)) throw thrown;
      if (this.#client === opening) await this.close().catch(() => undefined);
      throw new MeshError("unavailable", `etcd: ${etcdReason(thrown)}`, { cause: thrown });
    }
  }

  #nextHost(): string {
    const { hosts } = this.#options.access;
    const host = hosts[this.#tried % hosts.length] ?? "";
    this.#tried += 1;
    return host;
  }

  #stored({ value, mod_revision }: IKeyValue): StoredDocument<Content> {
    const content = this.#options.format.decode(value.toString());
    if (content === undefined) throw new MeshError("bad-config", `etcd: the value of ${this.#key} cannot be read`);
    return { content, revision: mod_revision };
  }
}

/** Another member has the same value. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "bad-config";
}
