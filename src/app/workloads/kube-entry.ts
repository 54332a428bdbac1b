import { type WorkloadHealth, workloadHealthAnnotation } from "../../config/mesh/workload-health.ts";
import { ask, fieldManager, isRefusal, type KubeCalls, mergePatch } from "../kube/kube-calls.ts";
import { registrationGroupAnnotation } from "./registered-entry.ts";

/** Label of a WorkloadEntry with the Lease of the server that its machine is connected to. */
export const leaseLabel = "binnacle.io/registration-lease";

/** An entry as it is stored, as far as it matters here. The API server has validated it. */
export interface StoredEntry {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Facts of a connection that its entry shows. */
export interface ConnectionMark {
  readonly lease: string;
  readonly connectedAt: string;
  /** The version that may be replaced; undefined if there was no entry. */
  readonly resourceVersion: string | undefined;
}

const applyPatch = "application/apply-patch+yaml";

/** Creates or replaces the entry of a machine that registered itself. */
export async function applyEntry(
  calls: KubeCalls,
  entry: { readonly path: string; readonly root: string; readonly text: string },
  mark: ConnectionMark,
): Promise<void> {
  const { metadata, ...rest } = JSON.parse(entry.text) as { readonly metadata: Readonly<Record<string, object>> };
  const annotations = { ...metadata["annotations"], ...notesOf(mark) };
  const labels = { ...metadata["labels"], [leaseLabel]: mark.lease };
  const { resourceVersion } = mark;
  const body = {
    ...rest,
    apiVersion: entry.root.replace("/apis/", ""),
    metadata: { ...metadata, labels, annotations, resourceVersion },
  };
  const query = { fieldManager, force: "true" };
  await ask(calls, { method: "PATCH", path: entry.path, query, contentType: applyPatch, body });
}

/** Writes the reported health to an entry that a person wrote. Its other fields stay. */
export async function patchHealth(
  calls: KubeCalls,
  path: string,
  health: WorkloadHealth,
  mark: ConnectionMark,
): Promise<void> {
  const annotations = { ...notesOf(mark), [workloadHealthAnnotation]: health };
  const { lease, resourceVersion } = mark;
  const body = { metadata: { resourceVersion, labels: { [leaseLabel]: lease }, annotations } };
  await ask(calls, { method: "PATCH", path, query: { fieldManager }, contentType: mergePatch, body });
}

/** An istiod leaves entries alone that another control plane has taken over after it. */
function notesOf({ lease, connectedAt }: ConnectionMark): Readonly<Record<string, string>> {
  return { "istio.io/workloadController": lease, "istio.io/connectedAt": connectedAt };
}

/**
 * Ends the hold of a server on an entry, unless the entry has changed since. The entry of a machine that registered
 * itself is deleted. An entry that a person wrote stays, without a reported health.
 */
export async function release(calls: KubeCalls, path: string, stored: StoredEntry): Promise<void> {
  if (stored.metadata.annotations?.[registrationGroupAnnotation] !== undefined) {
    await deleteVersion(calls, path, stored);
    return;
  }
  const { resourceVersion } = stored.metadata;
  const names = [workloadHealthAnnotation, "istio.io/workloadController", "istio.io/connectedAt"];
  const annotations = Object.fromEntries(names.map((name) => [name, null]));
  const body = { metadata: { resourceVersion, labels: { [leaseLabel]: null }, annotations } };
  await unlessChanged(ask(calls, { method: "PATCH", path, query: { fieldManager }, contentType: mergePatch, body }));
}

/** Deletes the object unless it has changed since, or is gone. */
export async function deleteVersion(
  calls: KubeCalls,
  path: string,
  { metadata }: Pick<StoredEntry, "metadata">,
): Promise<void> {
  const body = { preconditions: { resourceVersion: metadata.resourceVersion } };
  await unlessChanged(ask(calls, { method: "DELETE", path, body }));
}

async function unlessChanged(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (thrown) {
    if (!isRefusal(thrown, 404) && !isRefusal(thrown, 409)) throw thrown;
  }
}
