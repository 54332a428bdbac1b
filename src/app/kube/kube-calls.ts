import type { KubeClient, KubeRequest } from "../../kube/kube-client.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { MeshError } from "../../lib/errors.ts";
import type { ObjectId } from "../store/object-id.ts";

/** The part of a client that reads and writes single objects. */
export type KubeCalls = Pick<KubeClient, "json">;

/** Requests are small here, so an API server that needs longer will not answer at all. */
const answerMs = 5_000;

/** Returns the parsed answer. Rejects with `timeout` if it takes too long, and as the client does. */
export async function ask(calls: KubeCalls, request: KubeRequest, withinMs = answerMs): Promise<unknown> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    return await calls.json({ ...request, signal });
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new MeshError("timeout", `the API server has not answered within ${withinMs / 1000} s`, { cause });
  }
}

export const mergePatch = "application/merge-patch+json";

/** Our field manager at the API server. */
export const fieldManager = "binnacle";

/** The path of one object. Without a name, the path of all objects of the kind, in one namespace or in all. */
export function objectPath(root: string, { kind, namespace, name }: ObjectId): string {
  const place = namespace === "" ? root : `${root}/namespaces/${namespace}`;
  return `${place}/${kind.plural}${name === "" ? "" : `/${name}`}`;
}

/** Returns the same answer, or undefined if the object does not exist. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (isRefusal(thrown, 404)) return undefined;
    throw thrown;
  }
}

/** Whether the API server refused the request with this status. */
export function isRefusal(thrown: unknown, code: number): thrown is KubeError {
  return thrown instanceof KubeError && thrown.code === code;
}
