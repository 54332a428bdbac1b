import type { Kind } from "../../config/kind.ts";
import { kinds, splitApiVersion } from "../../config/kinds.ts";
import { ServedKinds } from "../../galley/source/kube/served-kinds.ts";
import { KubeClient } from "../../kube/kube-client.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { kubeObject } from "../../kube/kube-object.ts";
import type { KubeAccess } from "../../kube/kubeconfig.ts";
import { listPages } from "../../kube/list.ts";
import { MeshError } from "../../lib/errors.ts";
import { fieldManager, objectPath, unlessMissing } from "../kube/kube-calls.ts";
import { systemClock } from "../process/system-clock.ts";
import { isSameContent, versionOf, withMetadata, withoutNotes } from "./object-fields.ts";
import type { ObjectId } from "./object-id.ts";
import type {
  ObjectFields,
  ObjectStore,
  Outcome,
  Report,
  StoredObject,
  ObjectChange,
  WriteOptions,
  ObjectWrite,
} from "./object-store.ts";

const applyPatch = "application/apply-patch+yaml";
const pageSize = 500;
const listMs = 60_000;

/** Statuses with which the API server refuses a request; any other status is no answer. */
const refusals = new Set([400, 403, 404, 409, 413, 422]);

/** Throws `source-unavailable` for a kubeconfig that cannot be used. */
export function openKubeStore(access: KubeAccess): ObjectStore {
  return new KubeStore(new KubeClient(access, systemClock));
}

/**
 * Objects of a Kubernetes API server, written by server-side apply as the field manager `binnacle`. Fields of other
 * managers stay, unless the write is forced. There are no transactions. Instead, a dry run of all writes comes first,
 * and the writes follow only if the API server accepted all of them.
 */
class KubeStore implements ObjectStore {
  readonly #client: KubeClient;
  readonly #served: ServedKinds;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#served = new ServedKinds(client, systemClock, kinds);
  }

  async list(kind: Kind, namespace = ""): Promise<readonly StoredObject[]> {
    const root = await this.#rootOf(kind);
    const listed = { path: objectPath(root, { kind, namespace, name: "" }), signal: AbortSignal.timeout(listMs) };
    // Objects in a list have no apiVersion and kind.
    const type = { apiVersion: root.replace(/^\/apis?\//u, ""), kind: kind.kind };
    const objects: StoredObject[] = [];
    for await (const { items } of listPages(this.#client, listed, pageSize)) {
      for (const item of items) objects.push(storedAs({ kind, ...item.metadata }, { ...type, ...item }));
    }
    return objects;
  }

  async get(id: ObjectId): Promise<StoredObject | undefined> {
    return this.#getAt(objectPath(await this.#rootOf(id.kind), id), id);
  }

  async apply(changes: readonly ObjectWrite[], { dryRun, force }: WriteOptions): Promise<Report> {
    const query = { fieldManager, ...(force && { force: "true" }) };
    return this.#carryOut(changes, dryRun, async ({ id, fields, version }, effect) => {
      const path = objectPath(rootOf(fields), id);
      const before = await this.#getAt(path, id);
      if (version !== undefined && before === undefined && !force)
        return { id, type: "refused", reason: `it was made from version ${version}, and no longer exists` };
      const body = withMetadata(withoutNotes(fields), { resourceVersion: force ? undefined : version });
      const request = { method: "PATCH", path, query: { ...query, ...effect }, contentType: applyPatch, body } as const;
      const after = storedAs(id, kubeObject(await this.#client.json(request)));
      if (before === undefined) return { id, type: "created", version: after.version };
      return { id, type: isSameContent(before.fields, after.fields) ? "unchanged" : "changed", version: after.version };
    });
  }

  async delete(changes: readonly ObjectChange[], { dryRun, force }: WriteOptions): Promise<Report> {
    return this.#carryOut(changes, dryRun, async ({ id, version }, query) => {
      const path = objectPath(await this.#rootOf(id.kind), id);
      const before = await this.#getAt(path, id);
      if (before === undefined) return { id, type: "absent" };
      if (!force && version !== undefined && version !== before.version)
        return { id, type: "refused", reason: `it has version ${before.version} now, not ${version}` };
      await this.#client.json({ method: "DELETE", path, query });
      return { id, type: "deleted" };
    });
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  /** Runs everything as a dry run. Then, unless a change was refused or only a dry run is wanted, writes. */
  async #carryOut<W extends ObjectChange>(changes: readonly W[], dryRun: boolean, act: Act<W>): Promise<Report> {
    const tried = await inTurn(changes, (change) => outcomeOf(change, () => act(change, { dryRun: "All" })));
    if (tried.some(isRefused)) return { outcomes: tried.map(unlessDecided), note: "" };
    if (dryRun) return { outcomes: tried, note: "" };
    let stopped = false;
    const outcomes = await inTurn(changes, async (change): Promise<Outcome> => {
      if (stopped) return { id: change.id, type: "skipped" };
      const outcome = await outcomeOf(change, () => act(change, {}));
      stopped = isRefused(outcome);
      return outcome;
    });
    return { outcomes, note: "" };
  }

  async #getAt(path: string, id: ObjectId): Promise<StoredObject | undefined> {
    const found = await unlessMissing(this.#client.json({ path }));
    return found === undefined ? undefined : storedAs(id, kubeObject(found));
  }

  /** The API root at which the API server serves a kind. */
  async #rootOf(kind: Kind): Promise<string> {
    const root = await this.#served.find(kind);
    if (root !== undefined) return root;
    throw new MeshError("not-found", `the API server has no ${kind.plural} of ${kind.group || "the core group"}`);
  }
}

/** Carries out a change, or only simulates it with `dryRun` in the query. */
type Act<W> = (change: W, effect: { readonly dryRun?: "All" }) => Promise<Outcome>;

async function outcomeOf({ id }: ObjectChange, act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act();
  } catch (thrown) {
    if (!(thrown instanceof KubeError)) throw thrown;
    if (!refusals.has(thrown.code)) throw new MeshError("unavailable", thrown.message, { cause: thrown });
    return { id, type: "refused", reason: thrown.message };
  }
}

async function inTurn<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await act(item));
  return results;
}

function isRefused({ type }: Outcome): boolean {
  return type === "refused";
}

/** A change that the dry run accepted counts as skipped. */
function unlessDecided(outcome: Outcome): Outcome {
  const decided = outcome.type === "refused" || outcome.type === "unchanged" || outcome.type === "absent";
  return decided ? outcome : { id: outcome.id, type: "skipped" };
}

/** The API root of the version in which the object is written. */
function rootOf({ apiVersion }: ObjectFields): string {
  return `${splitApiVersion(String(apiVersion)).group === "" ? "/api" : "/apis"}/${String(apiVersion)}`;
}

/** Leaves out the managed fields, which only the API server needs. */
function storedAs({ kind, namespace, name }: ObjectId, fields: ObjectFields): StoredObject {
  const shown = withMetadata(fields, { managedFields: undefined });
  return { id: { kind, namespace, name }, fields: shown, version: versionOf(fields) ?? "" };
}
