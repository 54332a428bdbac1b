import { type AdmissionRequest, type ReviewVersion, readReview } from "../../config/admission/review.ts";
import { jsonPatch } from "../../lib/json-patch.ts";
import { decide } from "../decision.ts";
import { type InjectionContext, injectPod } from "../inject-pod.ts";
import { readPod } from "../pod.ts";
import { workloadOf } from "../workload-of.ts";

/** The result of the webhook for a pod. `unreadable` is a request that is no review of a pod. */
type InjectionVerdict =
  | { readonly type: "injected" | "unchanged" }
  | { readonly type: "skipped"; readonly reason: string }
  | { readonly type: "refused" | "unreadable"; readonly message: string };

export interface InjectionAnswer {
  /** The AdmissionReview for Kubernetes. */
  readonly review: object;
  readonly verdict: InjectionVerdict;
  /** The request, if the body could be read that far. */
  readonly request?: AdmissionRequest;
}

/** Answers the body of a call of the mutating webhook. Never throws for any body. */
export function answerInjection(body: string, context: InjectionContext): InjectionAnswer {
  const read = readReview(body);
  if (read.type === "unreadable") {
    const verdict = { type: "unreadable" as const, message: read.message };
    return { review: reviewOf(read.version, { uid: "", ...refusal(read.message) }), verdict };
  }
  const { version, request } = read;
  const { response, verdict } = answerRequest(request, context, version);
  return { review: reviewOf(version, { uid: request.uid, ...response }), verdict, request };
}

interface Answer {
  readonly response: object;
  readonly verdict: InjectionVerdict;
}

function answerRequest(request: AdmissionRequest, context: InjectionContext, version: ReviewVersion): Answer {
  // Pods are injected when they are created. Later updates, such as ephemeral containers, are not ours.
  if (request.operation !== "CREATE" || request.kind !== "Pod") {
    return { response: { allowed: true }, verdict: { type: "unchanged" } };
  }
  const read = readPod(request.object);
  if ("problem" in read) return refused(`the pod cannot be read: ${read.problem}`);
  const { pod } = read;
  const namespace = request.namespace || pod.metadata.namespace || "";
  const decision = decide(pod, context.settings, { namespace });
  if (decision.type === "skip") {
    const warnings = [`this pod gets no sidecar: ${decision.sentence}`];
    const warns = decision.reason === "host-network" && version === "admission.k8s.io/v1";
    return {
      response: { allowed: true, ...(warns && { warnings }) },
      verdict: { type: "skipped", reason: decision.reason },
    };
  }
  const injected = injectPod(pod, workloadOf(pod, namespace), context);
  if ("problems" in injected) return refused(`the pod cannot be injected: ${injected.problems.join("; ")}`);
  const patch = jsonPatch(request.object, injected.pod);
  if (patch.length === 0) return { response: { allowed: true }, verdict: { type: "unchanged" } };
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  return { response: { allowed: true, patchType: "JSONPatch", patch: encoded }, verdict: { type: "injected" } };
}

function refused(message: string): Answer {
  return { response: refusal(message), verdict: { type: "refused", message: cut(message) } };
}

function refusal(message: string): object {
  return { allowed: false, status: { status: "Failure", message: cut(message), reason: "Invalid", code: 422 } };
}

function reviewOf(apiVersion: ReviewVersion, response: object): object {
  return { apiVersion, kind: "AdmissionReview", response };
}

/** Values come from the user, and may be long or contain control characters. */
function cut(message: string): string {
  const line = message.replaceAll(/\p{Cc}+/gu, " ");
  return line.length > 2_000 ? `${line.slice(0, 1_999)}…` : line;
}
