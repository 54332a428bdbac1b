import type { KubeClient, KubeRequest } from "../../kube/kube-client.ts";
import { KubeError } from "../../kube/kube-error.ts";
import { MeshError } from "../../lib/errors.ts";
import type { ObjectId } from "../store/object-id.ts";

/** The part of a client that is enough for whoever reads and writes single objects. */
export type KubeCalls = Pick<KubeClient, "json">;

/** What is read or written here is small: whoever takes longer is not going to answer. */
const answerMs = 5_000;

/** The answer, parsed. Rejects with `timeout` when it takes long, and as the client does. */
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

/** Who the API server says has written a field. */
export const fieldManager = "binnacle";

/** Of one object, where its kind is served; without a name of all of its kind, in a namespace or in all. */
export function objectPath(root: string, { kind, namespace, name }: ObjectId): string {
  const place = namespace === "" ? root : `${root}/namespaces/${namespace}`;
  return `${place}/${kind.plural}${name === "" ? "" : `/${name}`}`;
}

/** The same answer; undefined when it is that there is no such thing. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (isRefusal(thrown, 404)) return undefined;
    throw thrown;
  }
}

/** Whether an API server refused with this status. */
export function isRefusal(thrown: unknown, code: number): thrown is KubeError {
  return thrown instanceof KubeError && thrown.code === code;
}
