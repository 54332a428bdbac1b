import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";

interface Named {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Owner {
  readonly name: string;
  readonly kind: string;
}

const workloadNameLabel = "service.istio.io/workload-name";
/** A CronJob names its Jobs after itself and the time, in minutes or seconds. */
const jobOfCronJob = /^(?<name>.+)-\d{8,10}$/u;

/**
 * The workload that controls a pod. A ReplicaSet lives only as long as one rollout. So its Deployment or Rollout is
 * derived from the name and hash suffix of the ReplicaSet, without a lookup.
 */
export function workloadOwner({ metadata }: Pod, pod: Named): Owner {
  const owner = controllerOf(metadata, pod);
  return { ...owner, name: pod.labels[workloadNameLabel] ?? owner.name };
}

function controllerOf(metadata: Pod["metadata"], { name, labels }: Named): Owner {
  const controller = metadata?.ownerReferences.find((reference) => reference.controller === true);
  // A pod without a controller, or with a hand-written name, is its own owner.
  if (controller === undefined || metadata?.generateName === "") return { name, kind: "Pod" };
  return (
    rolledOut(controller, labels["pod-template-hash"], "Deployment") ??
    rolledOut(controller, labels["rollouts-pod-template-hash"], "Rollout") ??
    deploymentConfig(controller, labels["deploymentconfig"]) ??
    cronJob(controller) ?? { name: controller.name, kind: controller.kind }
  );
}

function rolledOut({ kind, name }: Owner, hash: string | undefined, by: string): Owner | undefined {
  if (kind !== "ReplicaSet" || hash === undefined || hash === "" || !name.endsWith(`-${hash}`)) return undefined;
  return { name: name.slice(0, -hash.length - 1), kind: by };
}

function deploymentConfig({ kind }: Owner, name: string | undefined): Owner | undefined {
  if (kind !== "ReplicationController" || name === undefined || name === "") return undefined;
  return { name, kind: "DeploymentConfig" };
}

function cronJob({ kind, name }: Owner): Owner | undefined {
  const found = kind === "Job" ? jobOfCronJob.exec(name)?.groups?.["name"] : undefined;
  return found === undefined ? undefined : { name: found, kind: "CronJob" };
}
