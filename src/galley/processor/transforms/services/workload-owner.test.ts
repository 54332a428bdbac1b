import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PodSchema } from "#gen/k8s/core/v1/pod_pb.js";
import { workloadOwner } from "./workload-owner.ts";

const hashed = { "pod-template-hash": "548976df6c" };

test.each([
  ["ReplicaSet", "web-548976df6c", hashed, { kind: "Deployment", name: "web" }],
  ["ReplicaSet", "web", hashed, { kind: "ReplicaSet", name: "web" }],
  ["ReplicaSet", "web-1", { "rollouts-pod-template-hash": "1" }, { kind: "Rollout", name: "web" }],
  ["ReplicationController", "web-3", { deploymentconfig: "web" }, { kind: "DeploymentConfig", name: "web" }],
  ["ReplicationController", "web-3", {}, { kind: "ReplicationController", name: "web-3" }],
  ["StatefulSet", "db", {}, { kind: "StatefulSet", name: "db" }],
  ["Job", "backup-27345678", {}, { kind: "CronJob", name: "backup" }],
  ["Job", "backup", {}, { kind: "Job", name: "backup" }],
  ["StatefulSet", "db", { "service.istio.io/workload-name": "said" }, { kind: "StatefulSet", name: "said" }],
])(
  "a pod of the %s %s with the labels %o belongs to %o",
  (kind, name, labels: Readonly<Record<string, string>>, owner) => {
    const ownerReferences = [
      { kind: "Other", name: "x" },
      { kind, name, controller: true },
    ];
    const pod = create(PodSchema, { metadata: { generateName: "web-", ownerReferences } });
    expect(workloadOwner(pod, { name: "web-abcde", labels })).toEqual(owner);
  },
);

test("a pod without a controller, or with a hand-written name, is its own workload", () => {
  const orphan = create(PodSchema, { metadata: { generateName: "web-" } });
  const named = create(PodSchema, { metadata: { ownerReferences: [{ kind: "Job", name: "x", controller: true }] } });
  expect(workloadOwner(orphan, { name: "web-abcde", labels: {} })).toEqual({ kind: "Pod", name: "web-abcde" });
  expect(workloadOwner(named, { name: "web-0", labels: {} })).toEqual({ kind: "Pod", name: "web-0" });
});
