import type { KubeClient } from "../../galley/source/kube/api/client.ts";
import { KubeError } from "../../galley/source/kube/api/kube-error.ts";

/** The part of a client that is enough for whoever reads and writes single objects. */
export type KubeCalls = Pick<KubeClient, "json">;

/** What is read or written here is small: whoever takes longer is not going to answer. */
export function soon(): AbortSignal {
  return AbortSignal.timeout(5_000);
}

export const mergePatch = "application/merge-patch+json";

/** Who the API server says has written a field. */
export const fieldManager = "binnacle";

/** Whether an API server refused with this status. */
export function isRefusal(thrown: unknown, code: number): thrown is KubeError {
  return thrown instanceof KubeError && thrown.code === code;
}
