import { posix } from "node:path";
import type { Child } from "../child.ts";
import type { Pod } from "../pod/pod.ts";

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly resourceFieldRef?: { readonly resource: string };
  };
}

interface PlayedContainer {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly restartPolicy?: string;
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: number } };
  readonly securityContext?: { readonly runAsUser?: number; readonly runAsGroup?: number };
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly downwardAPI?: { readonly items: readonly DownwardItem[] };
  readonly projected?: { readonly sources: readonly { readonly serviceAccountToken?: { readonly path: string } }[] };
}

interface DownwardItem {
  readonly path: string;
  readonly fieldRef: { readonly fieldPath: string };
}

/** The parts of a pod's manifest that a kubelet acts on. */
export interface PlayedPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly PlayedContainer[];
    readonly initContainers?: readonly PlayedContainer[];
    readonly volumes: readonly Volume[];
  };
}

/** The token and the ConfigMaps, which a kubelet gets from the API server. */
export interface PodSurroundings {
  readonly token: string;
  /** The ConfigMaps of the namespace: file names and their content. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The entry point of Istio's image. */
const entryPoint = ["/usr/local/bin/pilot-agent"];

/**
 * Does the work of a kubelet: runs the init containers and then the proxy, with the commands, environments, files and
 * user ids of the manifest. The application's own containers are left to the caller. Returns the proxy.
 */
export async function playPod(pod: Pod, manifest: PlayedPod, surroundings: PodSurroundings): Promise<Child> {
  const { initContainers = [], containers } = manifest.spec;
  for (const container of initContainers.filter(({ restartPolicy }) => restartPolicy !== "Always")) {
    const child = await startContainer(pod, manifest, container, surroundings);
    const code = await child.exited;
    if (code !== 0) throw new Error(`${container.name} ended with ${code}:\n${child.log()}`);
  }
  const proxy = [...initContainers, ...containers].find(({ name }) => name === "istio-proxy");
  if (proxy === undefined) throw new Error("the pod has no container istio-proxy");
  return await startContainer(pod, manifest, proxy, surroundings);
}

async function startContainer(
  pod: Pod,
  manifest: PlayedPod,
  container: PlayedContainer,
  surroundings: PodSurroundings,
): Promise<Child> {
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const volume = manifest.spec.volumes.find((each) => each.name === name);
    if (volume === undefined) throw new Error(`${container.name} mounts the volume ${name}, which the pod lacks`);
    pod.files.makeFolder(mountPath.slice(1));
    for (const [path, content] of Object.entries(filesOf(volume, manifest, surroundings))) {
      pod.files.write(posix.join(mountPath, path).slice(1), content);
    }
  }
  const env = environmentOf(pod, manifest, container);
  const { command = entryPoint, args = [] } = container;
  const { runAsUser = 0, runAsGroup = runAsUser } = container.securityContext ?? {};
  const expanded = [...command, ...args].map((text) => expand(text, env));
  return await pod.startContained(expanded, { user: runAsUser, group: runAsGroup, env });
}

function filesOf(volume: Volume, manifest: PlayedPod, { token, configMaps }: PodSurroundings): Record<string, string> {
  if (volume.configMap !== undefined) {
    const found = configMaps[volume.configMap.name];
    if (found === undefined) throw new Error(`there is no ConfigMap ${volume.configMap.name}`);
    return found;
  }
  const tokens = volume.projected?.sources.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []) ?? [];
  const items = volume.downwardAPI?.items ?? [];
  return Object.fromEntries([
    ...tokens.map(({ path }) => [path, token]),
    ...items.map(({ path, fieldRef }) => [path, linesOf(manifest, fieldRef.fieldPath)]),
  ]) as Record<string, string>;
}

/** As the downward API writes a map. */
function linesOf({ metadata }: PlayedPod, fieldPath: string): string {
  const map = fieldPath === "metadata.labels" ? metadata.labels : metadata.annotations;
  return Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join("\n");
}

function environmentOf(pod: Pod, manifest: PlayedPod, { env = [], resources }: PlayedContainer) {
  const fields: Readonly<Record<string, string>> = {
    "metadata.name": manifest.metadata.name,
    "metadata.namespace": manifest.metadata.namespace,
    "spec.nodeName": "node-1",
    "spec.serviceAccountName": manifest.spec.serviceAccountName,
    "status.hostIP": pod.address,
    "status.podIP": pod.address,
    "status.podIPs": pod.address,
  };
  const limit = (resource: string) => bytesOf(resources?.limits?.[resource.replace("limits.", "")] ?? "1");
  return Object.fromEntries(
    env.map(({ name, value = "", valueFrom }) => {
      const { fieldRef, resourceFieldRef } = valueFrom ?? {};
      if (resourceFieldRef !== undefined) return [name, limit(resourceFieldRef.resource)];
      return [name, fieldRef === undefined ? value : (fields[fieldRef.fieldPath] ?? "")];
    }),
  ) as Record<string, string>;
}

function bytesOf(quantity: string): string {
  const units: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
  const [, amount = quantity, unit = ""] = /^(\d+)(Ki|Mi|Gi)$/u.exec(quantity) ?? [];
  return String(Math.ceil(Number(amount) * (units[unit] ?? 1)));
}

/** `$(NAME)` stands for a variable of the container. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\((\w+)\)/gu, (whole, name: string) => env[name] ?? whole);
}
