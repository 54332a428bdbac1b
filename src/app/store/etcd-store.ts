import type { Kind } from "../../config/kind.ts";
import { decodeText } from "../../config/yaml/characters.ts";
import { readDocument } from "../../config/yaml/yaml.ts";
import type { EtcdClient } from "../../etcd/etcd-client.ts";
import { keysBelow, kindPrefix, objectKey, parseObjectKey } from "../../galley/source/etcd/object-key.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { openEtcd } from "../etcd/open-etcd.ts";
import type { EtcdPlace } from "../sources/etcd.ts";
import { EtcdTransactions, type KeyWrite, type KeyRead, unreachable } from "./etcd-transactions.ts";
import { isSameContent, metadataOf, withMetadata, withoutNotes } from "./object-fields.ts";
import type { ObjectId } from "./object-id.ts";
import type {
  ObjectStore,
  Outcome,
  Report,
  StoredObject,
  ObjectChange,
  WriteOptions,
  ObjectWrite,
} from "./object-store.ts";

/** Connects to the first member that answers. */
export async function openEtcdStore(place: EtcdPlace): Promise<ObjectStore> {
  const reasons: string[] = [];
  for (const host of place.hosts) {
    try {
      return new EtcdStore(await openAnswering(place, host), place.prefix);
    } catch (thrown) {
      reasons.push(errorFrom(thrown).message);
    }
  }
  throw new MeshError("unavailable", `etcd cannot be reached: ${reasons.join("; ")}`);
}

async function openAnswering(place: EtcdPlace, host: string): Promise<EtcdClient> {
  const client = openEtcd(place, host);
  try {
    await client.range({ key: Buffer.from(`${place.prefix}/`), countOnly: true });
    return client;
  } catch (thrown) {
    client[Symbol.dispose]();
    throw thrown;
  }
}

/** The planned write of one key; undefined if the key stays as it is. */
interface Plan {
  readonly outcome: Outcome;
  readonly write: KeyWrite | undefined;
}

/** Objects as the source reads them, each under its own key. The version of an object is the revision that wrote it. */
class EtcdStore implements ObjectStore {
  readonly #client: EtcdClient;
  readonly #transactions: EtcdTransactions;
  readonly #prefix: string;

  constructor(client: EtcdClient, prefix: string) {
    this.#client = client;
    this.#transactions = new EtcdTransactions(client);
    this.#prefix = prefix;
  }

  async list(kind: Kind, namespace: string | undefined): Promise<readonly StoredObject[]> {
    const range = keysBelow(kindPrefix(this.#prefix, kind, namespace));
    const { entries } = await this.#client.range(range).catch(unreachable);
    return entries.flatMap((entry) => {
      const parts = parseObjectKey(this.#prefix, entry.key);
      if (parts === undefined) return [];
      const id = { kind, namespace: parts.namespace, name: parts.name };
      return stored(id, entry) ?? [];
    });
  }

  async get(id: ObjectId): Promise<StoredObject | undefined> {
    const [reading] = await this.#transactions.read([this.#keyOf(id)]);
    return reading && stored(id, reading);
  }

  async apply(changes: readonly ObjectWrite[], options: WriteOptions): Promise<Report> {
    const createdAt = new Date().toISOString();
    return this.#carryOut(changes, options, (change, before) => {
      const { id, fields } = change;
      const known = before && stored(id, before);
      if (before !== undefined && known !== undefined && isSameContent(known.fields, fields))
        return { outcome: { id, type: "unchanged", version: `${before.revision}` }, write: undefined };
      const creationTimestamp = metadataOf(known?.fields ?? fields)["creationTimestamp"] ?? createdAt;
      const value = JSON.stringify(withMetadata(withoutNotes(fields), { creationTimestamp }));
      const write = { key: this.#keyOf(id), value, revision: before?.revision ?? 0 };
      return { outcome: { id, type: before === undefined ? "created" : "changed", version: "" }, write };
    });
  }

  async delete(changes: readonly ObjectChange[], options: WriteOptions): Promise<Report> {
    return this.#carryOut(changes, options, ({ id }, before) => {
      if (before === undefined) return { outcome: { id, type: "absent" }, write: undefined };
      const write = { key: this.#keyOf(id), value: undefined, revision: before.revision };
      return { outcome: { id, type: "deleted" }, write };
    });
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** Reads the keys, decides, and writes the changes, unless one of them is refused. */
  async #carryOut<W extends ObjectChange>(
    changes: readonly W[],
    { dryRun, force }: WriteOptions,
    planFor: (change: W, before: KeyRead | undefined) => Plan,
  ): Promise<Report> {
    const readings = await this.#transactions.read(changes.map(({ id }) => this.#keyOf(id)));
    const plans = changes.map((change, index) => {
      const before = readings[index];
      return force || isUpToDate(change, before) ? planFor(change, before) : refusal(change, before);
    });
    const refused = plans.some(({ outcome }) => outcome.type === "refused");
    if (dryRun || refused) return { outcomes: plans.map((plan) => (refused ? skipped(plan) : plan.outcome)), note: "" };
    return this.#write(plans);
  }

  async #write(plans: readonly Plan[]): Promise<Report> {
    const { revisions, conflicts, transactions } = await this.#transactions.write(
      plans.flatMap(({ write }) => write ?? []),
    );
    const outcomes = plans.map((plan): Outcome => {
      const { outcome, write } = plan;
      if (write === undefined) return outcome;
      if (conflicts.has(write.key))
        return { id: outcome.id, type: "refused", reason: "another writer changed it at the same time" };
      const revision = revisions.get(write.key);
      if (revision === undefined) return { id: outcome.id, type: "skipped" };
      return "version" in outcome ? { ...outcome, version: `${revision}` } : outcome;
    });
    const note = `too large for one transaction of etcd: written in ${transactions} transactions, one after the other`;
    return { outcomes, note: transactions > 1 ? note : "" };
  }

  #keyOf({ kind, namespace, name }: ObjectId): string {
    return objectKey(this.#prefix, { ...kind, namespace, name });
  }
}

/** A change with a version may replace only that version. */
function isUpToDate({ version }: ObjectChange, before: KeyRead | undefined): boolean {
  return version === undefined || version === `${before?.revision}`;
}

function refusal({ id, version }: ObjectChange, before: KeyRead | undefined): Plan {
  const now = before === undefined ? "no longer exists" : `has version ${before.revision} now`;
  const reason = `it was made from version ${version}, and ${now}: another writer changed it; get it again`;
  return { outcome: { id, type: "refused", reason }, write: undefined };
}

function skipped({ outcome, write }: Plan): Outcome {
  return write === undefined ? outcome : { id: outcome.id, type: "skipped" };
}

/** Undefined for a value that is no object. Such a value can be overwritten, but not shown. */
function stored(id: ObjectId, { value, revision }: KeyRead): StoredObject | undefined {
  const fields = readDocument({ text: decodeText(value), line: 1 }, "")?.value;
  if (!isMapping(fields)) return undefined;
  const version = `${revision}`;
  return { id, fields: withMetadata(fields, { resourceVersion: version }), version };
}
