import { answerInjection } from "../../../src/inject/admission/answer-injection.ts";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import { applyJsonPatch } from "../../../src/testing/apply-json-patch.ts";
import { injectionContext } from "../../../src/testing/config/injection.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const context = injectionContext();

/**
 * Reviews of the mutating webhook. Every body gets an answer. The patch of an injected pod can be applied, and yields a
 * pod with one proxy. A second call of the webhook changes nothing.
 */
export const target: FuzzTarget = {
  name: "inject-webhook",
  mode: "sync",
  words: [
    ...inheritedNames,
    '"sidecar.istio.io/inject":"true"',
    '"proxy.istio.io/config":',
    '"inject.istio.io/templates":"gateway"',
    '"sidecar.istio.io/userVolume":',
    '"traffic.sidecar.istio.io/includeInboundPorts":',
    '"hostNetwork":true',
    '"initContainers":[]',
    '"securityContext":',
    '"annotations":{',
  ],
  planted: {
    file: "src/inject/inject-pod.ts",
    before: "  const input = inputFor(pod, { workload",
    text: "JSON.stringify(pod)",
  },
  check: (input) => {
    const answer = answerInjection(input.toString("utf8"), context);
    promise(JSON.stringify(answer.review).length < 1_000_000, "an answer has a bounded size");
    const { allowed, patch, status } = responseIn(answer.review);
    promise(allowed === (answer.verdict.type !== "refused" && answer.verdict.type !== "unreadable"), "verdict");
    promise(allowed || isMapping(status), "a refusal has a reason");
    if (patch === undefined) return;
    const steps = JSON.parse(Buffer.from(patch, "base64").toString("utf8")) as Parameters<typeof applyJsonPatch>[1];
    const pod = applyJsonPatch(answer.request?.object, steps);
    const proxies = containersOf(pod).filter((each) => isMapping(each) && each["name"] === "istio-proxy");
    promise(proxies.length === 1, () => `an injected pod has one proxy, not ${proxies.length}`);
    const again = answerInjection(reviewOf(pod, answer.request?.namespace ?? ""), context);
    promise(responseIn(again.review).allowed, () => `the second call refuses: ${JSON.stringify(again.verdict)}`);
    promise(responseIn(again.review).patch === undefined, "the second call changes nothing");
  },
};

function responseIn(review: object) {
  return (review as { readonly response: { allowed: boolean; patch?: string; status?: object } }).response;
}

function containersOf(pod: unknown): readonly unknown[] {
  const { spec } = isMapping(pod) ? pod : {};
  const { containers, initContainers } = isMapping(spec) ? spec : {};
  return [containers, initContainers].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
}

function reviewOf(object: unknown, namespace: string): string {
  const request = { uid: "1", operation: "CREATE", namespace, kind: { kind: "Pod" }, object };
  return JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
}
