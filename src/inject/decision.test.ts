import { expect, test } from "vitest";
import { parseDocuments } from "../config/yaml/yaml.ts";
import { decide } from "./decision.ts";
import type { Pod } from "./pod.ts";
import { defaultSettings, type InjectionSettings, type LabelSelector } from "./settings/injection-settings.ts";

function pod(metadata: string, spec = ""): Pod {
  const text = `{metadata: {${metadata}}, spec: {containers: [], ${spec}}}`;
  return parseDocuments(text, "pod.yaml")[0]?.value as Pod;
}

function selector(matchLabels: LabelSelector["matchLabels"]): LabelSelector {
  return { matchLabels, matchExpressions: [] };
}

const disabled: Partial<InjectionSettings> = { policy: "disabled" };
const never = { neverInject: [selector({ app: "batch" })] };
const always = { ...disabled, alwaysInject: [selector({ app: "batch" })] };
const optIn = "labels: {sidecar.istio.io/inject: 'true'}";
const optOut = "labels: {sidecar.istio.io/inject: 'false'}";

const rows: readonly (readonly [string, Partial<InjectionSettings>, string])[] = [
  ["", {}, "inject"],
  ["", disabled, "policy"],
  [optIn, disabled, "inject"],
  [optOut, {}, "label"],
  ["annotations: {sidecar.istio.io/inject: 'false'}", {}, "label"],
  ["annotations: {sidecar.istio.io/inject: 'true'}", disabled, "inject"],
  [`${optIn}, annotations: {sidecar.istio.io/inject: 'false'}`, {}, "inject"],
  ["labels: {sidecar.istio.io/inject: maybe}", {}, "inject"],
  ["labels: {sidecar.istio.io/inject: maybe}", disabled, "policy"],
  ["labels: {app: batch}", never, "never-inject"],
  ["labels: {app: batch, sidecar.istio.io/inject: 'true'}", never, "inject"],
  ["labels: {app: batch}", always, "inject"],
  ["labels: {app: batch}", { ...always, ...never }, "never-inject"],
  ["labels: {app: web}", { neverInject: [selector({})] }, "inject"],
];

test.each(rows)("a pod with {%s} under %j: %s", (metadata, settings, expected) => {
  const decision = decide(pod(metadata), { ...defaultSettings, ...settings }, { namespace: "shop" });
  expect(decision.type === "inject" ? "inject" : decision.reason).toBe(expected);
});

test("a pod in the network of its node is never injected, even if it asks", () => {
  const decision = decide(pod(optIn, "hostNetwork: true"), defaultSettings, { namespace: "shop" });
  expect(decision).toMatchObject({ type: "skip", reason: "host-network" });
});

test.each(["kube-system", "kube-public", "kube-node-lease", "local-path-storage"])(
  "pods of %s are never injected",
  (namespace) => {
    expect(decide(pod(optIn), defaultSettings, { namespace })).toMatchObject({ reason: "namespace" });
  },
);

test.each([
  ["canary", ["default"], "revision"],
  ["canary", ["canary"], "inject"],
  ["prod", ["canary", "prod"], "inject"],
  ["canary", undefined, "inject"],
])("a pod of revision %s, injected by %j: %s", (revision, revisions, expected) => {
  const options = { namespace: "shop", ...(revisions !== undefined && { revisions }) };
  const decision = decide(pod(`labels: {istio.io/rev: ${revision}}`), defaultSettings, options);
  expect(decision.type === "inject" ? "inject" : decision.reason).toBe(expected);
});

const expressions: readonly (readonly [LabelSelector["matchExpressions"][number]["operator"], string, boolean])[] = [
  ["In", "app: a", true],
  ["In", "app: c", false],
  ["NotIn", "app: a", false],
  ["NotIn", "other: a", true],
  ["Exists", "app: c", true],
  ["Exists", "", false],
  ["DoesNotExist", "", true],
  ["DoesNotExist", "app: a", false],
];

test.each(expressions)("the selector app %s [a, b] selects {%s}: %j", (operator, labels, selects) => {
  const neverInject = [{ matchLabels: {}, matchExpressions: [{ key: "app", operator, values: ["a", "b"] }] }];
  const decision = decide(pod(`labels: {${labels}}`), { ...defaultSettings, neverInject }, { namespace: "shop" });
  expect(decision.type).toBe(selects ? "skip" : "inject");
});

test.each([
  ["labels: {istio.io/rev: canary}", {}, "its label istio.io/rev names the revision canary"],
  ["labels: {app: batch}", never, "its labels match neverInjectSelector"],
  ["labels: {sidecar.istio.io/inject: 'false'}", {}, 'sidecar.istio.io/inject is "false"'],
  ["", { policy: "disabled" as const }, "the policy is disabled"],
])("the reason why a pod with {%s} under %j gets no proxy is: %s", (metadata, settings, sentence) => {
  const options = { namespace: "shop", revisions: ["default"] };
  expect(decide(pod(metadata), { ...defaultSettings, ...settings }, options)).toMatchObject({ sentence });
});
