import type { EtcdClient } from "../../etcd/etcd-client.ts";
import type { EtcdEntry } from "../../etcd/etcd-values.ts";
import type { DocumentStore, StoredDocument } from "../../lib/document-store.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import { type EtcdAccess, openEtcd, openMember } from "../etcd/open-etcd.ts";
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
  #client: EtcdClient | undefined;
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
          const { entries } = await client.range({ key: Buffer.from(this.#key) });
          return entries.map((entry) => this.#stored(entry)).at(0);
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
  close(): Promise<void> {
    this.#drop();
    return Promise.resolve();
  }

  /** Undefined if nothing is stored, against the expectation. */
  async #swap(previous: string | undefined, next: Content): Promise<StoredDocument<Content> | undefined> {
    return await this.#call(async (client) => {
      const key = this.#key;
      const { succeeded, revision, found } = await client.transact({
        conditions: [{ type: "revision", key, equals: Number(previous ?? 0) }],
        success: [{ type: "put", key, value: this.#options.format.encode(next) }],
        failure: [{ type: "get", key }],
      });
      if (succeeded) return { content: next, revision: `${revision}` };
      const [entry] = found;
      return entry && this.#stored(entry);
    });
  }

  async #watchOnce(changed: () => void, signal: AbortSignal): Promise<void> {
    const { access, prefix } = this.#options;
    using member = openMember(access, this.#nextHost(), prefix);
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
  async #call<T>(work: (client: EtcdClient) => Promise<T>): Promise<T> {
    const client = (this.#client ??= openEtcd(this.#options.access, this.#nextHost()));
    try {
      return await work(client);
    } catch (thrown) {
      if (isUnreadable(thrown)) throw thrown;
      if (this.#client === client) this.#drop();
      throw new MeshError("unavailable", `etcd: ${errorFrom(thrown).message}`, { cause: thrown });
    }
  }

  #drop(): void {
    this.#client?.[Symbol.dispose]();
    this.#client = undefined;
  }

  #nextHost(): string {
    const { hosts } = this.#options.access;
    const host = hosts[this.#tried % hosts.length] ?? "";
    this.#tried += 1;
    return host;
  }

  #stored({ value, revision }: EtcdEntry): StoredDocument<Content> {
    const content = this.#options.format.decode(value.toString());
    if (content === undefined) throw new MeshError("bad-config", `etcd: the value of ${this.#key} cannot be read`);
    return { content, revision: `${revision}` };
  }
}

/** Another member has the same value. */
function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "bad-config";
}
