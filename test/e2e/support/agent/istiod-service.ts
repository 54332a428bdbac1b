import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { main } from "../checkout.ts";
import type { Child } from "../child.ts";
import type { Kube } from "../kube/kube.ts";
import type { Pod } from "../pod/pod.ts";

const namespace = "istio-system";

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: PodSpec };
  };
}

interface PodSpec {
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes: readonly { readonly name: string; readonly configMap: { readonly name: string } }[];
}

/**
 * Plays the nodes of the cluster for the Service `istiod`. One pod has its address, and runs the control plane that the
 * Service selects, if its Deployment has replicas. A change of the Service or of a Deployment replaces the process.
 */
export class IstiodService implements AsyncDisposable {
  readonly #kube: Kube;
  readonly #pod: Pod;
  readonly #startIstiod: () => Promise<Child>;
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-mounts-"));
  readonly #played: Promise<void>;
  #running: { readonly app: string; readonly child: Child } | undefined;
  #stopped = false;

  constructor(kube: Kube, pod: Pod, startIstiod: () => Promise<Child>) {
    this.#kube = kube;
    this.#pod = pod;
    this.#startIstiod = startIstiod;
    this.#played = this.#play();
  }

  /** The control plane that runs now. */
  get app(): string | undefined {
    return this.#running?.app;
  }

  log(): string {
    return this.#running?.child.log() ?? "";
  }

  async #play(): Promise<void> {
    while (!this.#stopped) {
      const wanted = await this.#wanted();
      if (wanted !== this.#running?.app) await this.#replace(wanted);
      await pause(50);
    }
  }

  async #wanted(): Promise<string | undefined> {
    const { body } = await this.#kube.call("GET", `/api/v1/namespaces/${namespace}/services/istiod`);
    const { app } = (body["spec"] as { readonly selector: Readonly<Record<string, string>> }).selector;
    if (app === undefined) return undefined;
    const deployment = await this.#deployment(app);
    return (deployment?.spec.replicas ?? 0) > 0 ? app : undefined;
  }

  async #deployment(app: string): Promise<Deployment | undefined> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${app}`;
    const { status, body } = await this.#kube.call("GET", path);
    return status === 200 ? (body as unknown as Deployment) : undefined;
  }

  async #replace(app: string | undefined): Promise<void> {
    this.#running?.child.kill("SIGTERM");
    await this.#running?.child.exited;
    this.#running = undefined;
    if (app === undefined) return;
    const child = app === "istiod" ? await this.#startIstiod() : await this.#startBinnacle();
    this.#running = { app, child };
  }

  /** With the arguments, ConfigMaps and rights of its Deployment. */
  async #startBinnacle(): Promise<Child> {
    const deployment = await this.#deployment("binnacle");
    const { containers = [], volumes = [] } = deployment?.spec.template.spec ?? {};
    const [container] = containers;
    let args = container?.args ?? [];
    for (const { name, mountPath } of container?.volumeMounts ?? []) {
      const volume = volumes.find((each) => each.name === name);
      const folder = await this.#mount(volume?.configMap.name ?? "");
      args = args.map((arg) => arg.replace(`=${mountPath}/`, `=${folder}/`));
    }
    const kubeconfig = await this.#kube.kubeconfigOf(namespace, "binnacle");
    const env = { ...process.env, POD_NAMESPACE: namespace, KUBECONFIG: kubeconfig };
    const child = this.#pod.start(process.execPath, [main, ...args, "--ctrlz=off"], { env });
    await child.line(/^ready: /u, { seconds: 60 });
    return child;
  }

  async #mount(configMap: string): Promise<string> {
    const { body } = await this.#kube.call("GET", `/api/v1/namespaces/${namespace}/configmaps/${configMap}`);
    const folder = join(this.#folder, configMap);
    mkdirSync(folder, { recursive: true });
    const data = body["data"] as Readonly<Record<string, string>>;
    for (const [name, text] of Object.entries(data)) writeFileSync(join(folder, name), text);
    return folder;
  }

  /** Rejects if the last replacement failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    try {
      await this.#played;
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}
