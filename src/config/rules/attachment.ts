import type { PolicyTargetReference, WorkloadSelector } from "#gen/istio/type/v1beta1/selector_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { emptySelector, selectorLabels } from "./labels.ts";
import { someText } from "./text.ts";

/** The target of a policy: workloads by labels, or objects by name. */
interface Attached {
  readonly selector?: WorkloadSelector | undefined;
  readonly targetRef?: PolicyTargetReference | undefined;
  readonly targetRefs: readonly PolicyTargetReference[];
}

export function attachment({ selector, targetRef, targetRefs }: Attached): readonly Finding[] {
  const ways = [selector, targetRef, targetRefs[0]].filter((way) => way !== undefined);
  return [
    ...errorUnless(ways.length <= 1, "spec", {
      code: "conflicting-fields",
      message: "only one of selector, targetRef and targetRefs may be set",
    }),
    ...workloadSelector(selector),
    ...(targetRef === undefined ? [] : targetReference(targetRef, "spec.targetRef")),
    ...targetReferences(targetRefs),
  ];
}

export function workloadSelector(selector: WorkloadSelector | undefined): readonly Finding[] {
  return [
    ...emptySelector(selector?.matchLabels, "spec.selector"),
    ...selectorLabels(selector?.matchLabels ?? {}, "spec.selector.matchLabels"),
  ];
}

export function targetReferences(targets: readonly PolicyTargetReference[]): readonly Finding[] {
  return targets.flatMap((target, index) => targetReference(target, fieldPath("spec.targetRefs", index)));
}

/** Group and kind of the possible targets of a policy. */
const targets = [
  "/Service",
  "networking.istio.io/ServiceEntry",
  "gateway.networking.k8s.io/Gateway",
  "gateway.networking.k8s.io/GatewayClass",
];

function targetReference({ group, kind, name, namespace }: PolicyTargetReference, path: string): readonly Finding[] {
  const target = `${group === "core" ? "" : group}/${kind}`;
  return [
    ...someText(name, `${path}.name`, "the name of the target"),
    ...errorUnless(targets.includes(target), `${path}.kind`, {
      code: "bad-target",
      message: `a policy cannot target a ${kind || "nameless kind"} of "${group}"`,
      hint: `known are ${targets.join(", ")}`,
    }),
    ...(namespace === ""
      ? []
      : [error(`${path}.namespace`, { code: "bad-target", message: "a target is in the namespace of its policy" })]),
  ];
}
