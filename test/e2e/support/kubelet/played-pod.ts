import { posix } from "node:path";
import { eventually } from "../../../../src/testing/eventually.ts";
import type { Child } from "../child.ts";
import type { Kube } from "../kube/kube.ts";
import type { Pod } from "../pod/pod.ts";
import { containerEnv, expand } from "./container-env.ts";
import type { ContainerManifest, Handler, PodManifest, ProbeName } from "./manifest.ts";
import { volumeFiles } from "./volume-files.ts";

const patience = { seconds: 60 };

/** The entry point of Istio's image. Containers with other images use the files of this machine. */
const entryPoint = ["/usr/local/bin/pilot-agent"];
const proxyImage = /\/proxyv2:/u;

/**
 * A pod of an API server whose containers run in a network namespace, with the commands, variables, files and user ids of
 * the manifest. Does the work of a kubelet.
 */
export class PlayedPod {
  readonly manifest: PodManifest;
  /** The network namespace. */
  readonly pod: Pod;
  /** The events of the containers, in order: `istio-init ended`, `app started`. */
  readonly events: string[] = [];
  readonly #kube: Kube;
  readonly #node: Pod;
  readonly #children = new Map<string, Child>();

  constructor(manifest: PodManifest, place: { readonly kube: Kube; readonly pod: Pod; readonly node: Pod }) {
    this.manifest = manifest;
    this.pod = place.pod;
    this.#kube = place.kube;
    this.#node = place.node;
  }

  /** Resolves when all containers run. Init containers run one after the other. */
  async start(): Promise<void> {
    const { securityContext, initContainers = [], containers } = this.manifest.spec;
    for (const { name, value } of securityContext?.sysctls ?? []) {
      await this.#ended(this.pod.start("sysctl", ["-w", `${name}=${value}`]), name);
    }
    for (const container of initContainers) {
      const child = await this.#run(container);
      if (container.restartPolicy === "Always") await this.#isUp(container);
      else await this.#ended(child, container.name);
    }
    // The next container starts after the hook of the one before.
    for (const container of containers) {
      await this.#run(container);
      await this.#hook(container, "postStart");
    }
  }

  /** Resolves when the startup and readiness probes of all containers succeed. */
  async ready(): Promise<void> {
    for (const container of this.#running()) {
      for (const probe of ["startupProbe", "readinessProbe"] as const) await this.#succeeds(container, probe);
    }
  }

  /** Asks a probe once: undefined if it succeeds, or else the reason. */
  async probe(name: string, probe: ProbeName): Promise<string | undefined> {
    const container = this.container(name);
    const handler = container[probe];
    if (handler === undefined) throw new Error(`the container ${name} has no ${probe}`);
    return await this.#handle(container, handler);
  }

  container(name: string): ContainerManifest {
    const { initContainers = [], containers } = this.manifest.spec;
    const found = [...initContainers, ...containers].find((container) => container.name === name);
    if (found === undefined) throw new Error(`the pod has no container ${name}`);
    return found;
  }

  /** The process of a container. */
  child(name: string): Child {
    const child = this.#children.get(name);
    if (child === undefined) throw new Error(`the container ${name} does not run`);
    return child;
  }

  /** Stops the pod: all hooks at once, then the containers, then the native sidecars in reverse order. */
  async stop(): Promise<void> {
    await Promise.all(this.#running().map((container) => this.#hook(container, "preStop")));
    await Promise.all(this.manifest.spec.containers.map((container) => this.#stop(container)));
    for (const sidecar of this.#sidecars().toReversed()) await this.#stop(sidecar);
  }

  #sidecars(): readonly ContainerManifest[] {
    return (this.manifest.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  }

  #running(): readonly ContainerManifest[] {
    return [...this.#sidecars(), ...this.manifest.spec.containers];
  }

  async #stop({ name }: ContainerManifest): Promise<void> {
    await this.child(name).stop({ seconds: 30 });
    this.events.push(`${name} ended`);
  }

  async #run(container: ContainerManifest): Promise<Child> {
    const { command = [], args = [], volumeMounts = [] } = container;
    const volumes = this.manifest.spec.volumes ?? [];
    for (const { name, mountPath } of volumeMounts) {
      const volume = volumes.find((each) => each.name === name);
      if (volume === undefined) throw new Error(`${container.name} mounts the volume ${name}, which the pod lacks`);
      this.pod.files.makeFolder(mountPath.slice(1));
      for (const [path, content] of Object.entries(await volumeFiles(this.#kube, this.manifest, volume))) {
        this.pod.files.write(posix.join(mountPath, path).slice(1), content);
      }
    }
    const isProxy = proxyImage.test(container.image);
    const child = await this.#execute(container, [
      ...(isProxy && command.length === 0 ? entryPoint : command),
      ...args,
    ]);
    this.#children.set(container.name, child);
    this.events.push(`${container.name} started`);
    return child;
  }

  /** Starts a command in a container. */
  async #execute(container: ContainerManifest, command: readonly string[]): Promise<Child> {
    const env = containerEnv(this.manifest, container, this.pod.address);
    const [program = "", ...args] = command.map((text) => expand(text, env));
    if (!proxyImage.test(container.image)) return this.pod.start(program, args, { env: { ...process.env, ...env } });
    const { runAsUser: user = 0, runAsGroup: group = user, readOnlyRootFilesystem } = container.securityContext ?? {};
    const writable = (container.volumeMounts ?? []).map(({ mountPath }) => mountPath);
    const files = readOnlyRootFilesystem === true ? { writable } : {};
    return await this.pod.startContained([program, ...args], { user, group, env, ...files });
  }

  async #ended(child: Child, name: string): Promise<void> {
    const code = await child.exited;
    if (code !== 0) throw new Error(`${name} ended with ${code}:\n${child.log()}`);
    this.events.push(`${name} ended`);
  }

  async #hook(container: ContainerManifest, name: "postStart" | "preStop"): Promise<void> {
    const handler = container.lifecycle?.[name];
    if (handler === undefined) return;
    const problem = await this.#handle(container, handler);
    if (problem !== undefined) throw new Error(`${name} of ${container.name} failed: ${problem}`);
    this.events.push(`${container.name} ${name}`);
  }

  async #isUp(container: ContainerManifest): Promise<void> {
    await this.#succeeds(container, "startupProbe");
    this.events.push(`${container.name} is up`);
  }

  async #succeeds(container: ContainerManifest, probe: ProbeName): Promise<void> {
    const handler = container[probe];
    if (handler === undefined) return;
    const ask = async () => {
      const problem = await this.#handle(container, handler);
      if (problem !== undefined) throw new Error(problem);
      return true;
    };
    await eventually(`${probe} of ${container.name}`, ask, patience).catch((cause: unknown) => {
      throw new Error(`${container.name}:\n${this.child(container.name).log()}`, { cause });
    });
  }

  /** The node asks from outside of the pod. Commands run in the container. */
  async #handle(container: ContainerManifest, { httpGet, exec }: Handler): Promise<string | undefined> {
    if (exec !== undefined) {
      const child = await this.#execute(container, exec.command);
      const code = await child.exited;
      return code === 0 ? undefined : `ended with ${code}: ${child.log()}`;
    }
    if (httpGet === undefined) throw new Error(`${container.name} has a probe that was not rewritten`);
    const { path, port, httpHeaders = [] } = httpGet;
    const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
    const dial = { address: this.pod.address, protocol: "http", host: "kubelet", headers } as const;
    const reply = await this.#node.call({ ...dial, port: Number(port), path });
    if ("failed" in reply) return reply.failed;
    return reply.status !== undefined && reply.status >= 200 && reply.status < 400
      ? undefined
      : `status ${reply.status}`;
  }
}
