import { isMapping } from "../lib/is-mapping.ts";
import { ownValue } from "../lib/own-value.ts";
import type { Fields, Pod } from "./pod.ts";
import type { Workload } from "./template/template-input.ts";

/**
 * The object behind a pod, from the pod alone. A ReplicaSet with the hash of its template belongs to a Deployment, and a
 * Job with a time in its name belongs to a CronJob.
 */
export function workloadOf({ metadata }: Pod, namespace: string): Workload {
  const { name = "", generateName = "", labels = {} } = metadata;
  const own = { apiVersion: "v1", kind: "Pod", name, namespace };
  const controller = generateName === "" ? undefined : controllerOf(metadata);
  if (controller === undefined) return own;
  const { apiVersion, kind } = controller;
  const named = { apiVersion, kind, name: controller.name, namespace };
  const without = (label: string) => suffixRemoved(controller.name, ownValue(labels, label));
  if (kind === "ReplicaSet") {
    const deployment = without("pod-template-hash");
    if (deployment !== undefined) return { ...named, kind: "Deployment", name: deployment };
    const rollout = without("rollouts-pod-template-hash");
    if (rollout !== undefined) return { ...named, apiVersion: "v1alpha1", kind: "Rollout", name: rollout };
  }
  const [, cronJob] = kind === "Job" ? (/^(.+)-\d{8,10}$/u.exec(controller.name) ?? []) : [];
  return cronJob === undefined ? named : { ...named, apiVersion: "batch/v1", kind: "CronJob", name: cronJob };
}

function controllerOf({ ownerReferences }: Fields): Omit<Workload, "namespace"> | undefined {
  const references: readonly unknown[] = Array.isArray(ownerReferences) ? ownerReferences : [];
  const reference = references.filter(isMapping).find(({ controller }) => controller === true);
  if (reference === undefined) return undefined;
  const text = (name: string) => (typeof reference[name] === "string" ? reference[name] : "");
  return { apiVersion: text("apiVersion"), kind: text("kind"), name: text("name") };
}

function suffixRemoved(name: string, hash: string | undefined): string | undefined {
  return hash && name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : undefined;
}
