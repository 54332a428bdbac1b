import { applyJsonPatch } from "../../../src/testing/apply-json-patch.ts";

/** An AdmissionReview for the creation of a pod. */
export function reviewOf(pod: object, namespace: string): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u1",
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace,
      operation: "CREATE",
      object: pod,
    },
  });
}

/** The pod after the patch of an answer, or the refusal. */
export function answeredPod(pod: object, answer: object): unknown {
  const { response } = answer as { readonly response: { readonly allowed?: boolean; readonly patch?: string } };
  if (response.allowed !== true) return { refused: true };
  if (response.patch === undefined) return pod;
  return applyJsonPatch(pod, JSON.parse(Buffer.from(response.patch, "base64").toString()));
}
