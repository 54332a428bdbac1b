import { areStoredConditions, isOurCondition } from "../../../config/analysis/status-condition.ts";
import type { Kind } from "../../../config/kind.ts";
import { readObject } from "../../../galley/source/kube/read-object.ts";
import type { ServedKinds } from "../../../galley/source/kube/served-kinds.ts";
import type { KubeClient } from "../../../kube/kube-client.ts";
import { kubeObject } from "../../../kube/kube-object.ts";
import { listPages } from "../../../kube/list.ts";
import { append } from "../../../lib/append.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { type ObjectId, objectText } from "../../store/object-id.ts";
import { ask, fieldManager, isRefusal, mergePatch, objectPath, unlessMissing } from "../kube-calls.ts";
import type { WantedStatus } from "./wanted-status.ts";

/** An object as it is in the cluster now. */
export interface FoundStatus {
  /** `status.validationMessages`, whatever it is; undefined where there is none. */
  readonly messages: unknown;
  /** Our conditions in `status.conditions`, whatever they are. */
  readonly conditions: readonly unknown[];
  /** The conditions of other controllers. They stay as they are. */
  readonly otherConditions: readonly unknown[];
  /**
   * The version of the content, as a source reads it; undefined for an unreadable object. The resource version of the
   * cluster is no use here: it changes with every status, ours included.
   */
  readonly version: string | undefined;
  /** The resource version at the API server. A write may replace only this version. */
  readonly resourceVersion: string;
  /** Whether its status has other content. */
  readonly hasMore: boolean;
}

/** Where statuses are kept. */
export interface StatusObjects {
  /** Lists the objects whose status has messages or conditions of ours. Reports a kind that cannot be listed, and leaves it out. */
  list(signal: AbortSignal, onFailure: (subject: string, error: unknown) => void): Promise<readonly ListedStatus[]>;
  /** Undefined when it is not there. */
  read(object: ObjectId): Promise<FoundStatus | undefined>;
  /** Resolves with the stored status, or undefined if the object is gone. Rejects if the object has changed. */
  write(object: ObjectId, found: FoundStatus, content: StatusContent): Promise<FoundStatus | undefined>;
}

/** The part of a status that this process writes. */
export type StatusContent = Pick<WantedStatus, "messages" | "conditions">;

interface ListedStatus extends FoundStatus {
  readonly key: string;
  readonly object: ObjectId;
}

const pageSize = 200;

export interface StatusCluster {
  readonly client: KubeClient;
  readonly served: ServedKinds;
  /** The kinds whose objects get a status. */
  readonly kinds: readonly Kind[];
}

/**
 * The statuses of a cluster. A write is a merge patch of two fields, so the rest of a status stays unchanged. The
 * patch fails if the object has changed since it was read. Server-side apply is no alternative: only the owner of a
 * field can remove it, so messages that another control plane left would stay.
 */
export function kubeStatusObjects(cluster: StatusCluster): StatusObjects {
  const { client, kinds } = cluster;
  return {
    async list(signal, onFailure) {
      const found: ListedStatus[] = [];
      for (const kind of kinds) {
        try {
          append(found, await listKind(cluster, kind, signal));
        } catch (thrown) {
          if (!isRefusal(thrown, 404)) onFailure(kind.kind, thrown);
        }
      }
      return found;
    },
    async read(object) {
      const path = await pathOf(cluster, object);
      return path === undefined ? undefined : await foundIn(object, ask(client, { path }));
    },
    async write(object, found, content) {
      const { resourceVersion } = found;
      const request = {
        method: "PATCH",
        path: `${await pathOf(cluster, object)}/status`,
        query: { fieldManager },
        contentType: mergePatch,
        body: { metadata: { resourceVersion }, status: statusPatch(found, content) },
      } as const;
      return await foundIn(object, ask(client, request));
    },
  };
}

/** A list cannot be patched in parts. Without a change of our conditions, the list of conditions is left out. */
function statusPatch({ conditions: stored, otherConditions, hasMore }: FoundStatus, content: StatusContent) {
  const { messages, conditions: written } = content;
  const validationMessages = messages.length === 0 ? null : messages;
  const conditions = [...otherConditions, ...written];
  if (validationMessages === null && conditions.length === 0 && !hasMore) return null;
  if (areStoredConditions(stored, written)) return { validationMessages };
  return { validationMessages, conditions: conditions.length === 0 ? null : conditions };
}

async function pathOf({ served }: StatusCluster, object: ObjectId): Promise<string | undefined> {
  const root = await served.find(object.kind);
  return root === undefined ? undefined : objectPath(root, object);
}

async function listKind(
  { client, served }: StatusCluster,
  kind: Kind,
  signal: AbortSignal,
): Promise<readonly ListedStatus[]> {
  const root = await served.find(kind);
  if (root === undefined) return [];
  const path = `${root}/${kind.plural}`;
  const all: ListedStatus[] = [];
  for await (const { items } of listPages(client, { path, signal }, pageSize)) {
    for (const item of items) {
      const status = found(kind, item);
      if (status.messages === undefined && status.conditions.length === 0) continue;
      const { namespace, name } = item.metadata;
      const object = { kind, namespace, name };
      all.push({ ...status, key: objectText(object), object });
    }
  }
  return all;
}

function found(kind: Kind, raw: unknown): FoundStatus {
  const object = kubeObject(raw);
  const status = isMapping(object["status"]) ? object["status"] : {};
  const { validationMessages: messages, conditions, ...more } = status;
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return {
    messages,
    conditions: all.filter(isOurCondition),
    otherConditions: all.filter((condition) => !isOurCondition(condition)),
    version: readObject(object, { kind, source: "" }).config?.version,
    resourceVersion: object.metadata.resourceVersion,
    hasMore: Object.keys(more).length > 0,
  };
}

/** A kind without a status subresource looks like a missing object. */
async function foundIn({ kind }: ObjectId, answer: Promise<unknown>): Promise<FoundStatus | undefined> {
  const raw = await unlessMissing(answer);
  return raw === undefined ? undefined : found(kind, raw);
}
