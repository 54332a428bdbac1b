import { expect, test } from "vitest";
import { workloadOf } from "./workload-of.ts";

function owned(kind: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  const apiVersion = kind === "Job" ? "batch/v1" : "apps/v1";
  const ownerReferences = [{ apiVersion, kind, name, controller: true }];
  return { metadata: { generateName: `${name}-`, labels, ownerReferences }, spec: { containers: [] } };
}

test.each([
  [owned("ReplicaSet", "web-5d4", { "pod-template-hash": "5d4" }), "apps/v1 Deployment web"],
  [owned("ReplicaSet", "web-5d4", { "rollouts-pod-template-hash": "5d4" }), "v1alpha1 Rollout web"],
  [owned("ReplicaSet", "web-5d4", { "pod-template-hash": "6e5" }), "apps/v1 ReplicaSet web-5d4"],
  [owned("ReplicaSet", "web-5d4"), "apps/v1 ReplicaSet web-5d4"],
  [owned("StatefulSet", "db"), "apps/v1 StatefulSet db"],
  [owned("Job", "nightly-28000000"), "batch/v1 CronJob nightly"],
  [owned("Job", "once"), "batch/v1 Job once"],
  [{ metadata: { name: "alone" }, spec: { containers: [] } }, "v1 Pod alone"],
  [{ metadata: { name: "named", ownerReferences: "x" }, spec: { containers: [] } }, "v1 Pod named"],
])("a pod %j belongs to %s", (pod, expected) => {
  const { apiVersion, kind, name, namespace } = workloadOf(pod, "shop");
  expect(`${apiVersion} ${kind} ${name}`).toBe(expected);
  expect(namespace).toBe("shop");
});
