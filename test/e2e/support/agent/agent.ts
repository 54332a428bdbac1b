import { readFileSync } from "node:fs";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import type { Child } from "../child.ts";
import type { Pod } from "../pod/pod.ts";
import type { IssuedFiles } from "../tls/certificates.ts";

/** Istio's image runs the agent as this user. Its connections are not redirected. */
const proxyUser = 1337;

const ports = { admin: 15_000, agentStatus: 15_020, envoyStatus: 15_021 };
/** Where Istio's agent looks for certificates in files. With them it asks no certificate authority. */
const identityFolder = "var/run/secrets/workload-spiffe-credentials";
const tokenFile = "var/run/secrets/tokens/istio-token";
const rootFile = "var/run/secrets/istio/root-cert.pem";

export interface AgentOptions {
  readonly type: "router" | "sidecar";
  readonly discoveryAddress: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Default: delta, as of the agent. */
  readonly mode?: "sotw" | "delta";
  readonly certificates?: IssuedFiles;
  /** The token of the service account. */
  readonly token?: string;
  /** The CA certificates by which the agent trusts the control plane, as PEM. */
  readonly controlPlaneRoot?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly proxyConfig?: object;
}

/** The bootstrap in a dump of Envoy's configuration. */
interface DumpedBootstrap {
  readonly bootstrap?: { readonly node: { readonly metadata: Readonly<Record<string, unknown>> } };
}

/** A secret in a dump of Envoy's configuration. */
interface DumpedSecret {
  readonly name: string;
  readonly secret?: { readonly validation_context?: { readonly trusted_ca: { readonly inline_bytes: string } } };
}

/** An unmodified `pilot-agent` of Istio with an Envoy, in a pod. All ports and paths are those of Istio's image. */
export class Agent {
  readonly pod: Pod;
  readonly #child: Child;

  private constructor(pod: Pod, child: Child) {
    this.pod = pod;
    this.#child = child;
  }

  /** Resolves when the process runs. */
  static async start(pod: Pod, options: AgentOptions): Promise<Agent> {
    const { type, namespace, certificates, token, controlPlaneRoot } = options;
    if (token !== undefined) pod.files.write(tokenFile, token);
    if (controlPlaneRoot !== undefined) pod.files.write(rootFile, controlPlaneRoot);
    if (certificates !== undefined) {
      pod.files.write(`${identityFolder}/cert-chain.pem`, readFileSync(certificates.certificateChain));
      pod.files.write(`${identityFolder}/key.pem`, readFileSync(certificates.privateKey));
      pod.files.write(`${identityFolder}/root-cert.pem`, readFileSync(certificates.rootCertificates));
    }
    const command = ["/usr/local/bin/pilot-agent", "proxy", type, "--domain", `${namespace}.svc.cluster.local`];
    const child = await pod.startContained(command, { user: proxyUser, env: environment(pod, options) });
    return new Agent(pod, child);
  }

  /** Resolves when the probe of the pod succeeds: Envoy is live and has its configuration. */
  async ready(bound: Bound = { seconds: 30 }): Promise<void> {
    const ready = async () => (await this.pod.page(ports.envoyStatus, "/healthz/ready")) !== undefined;
    const ended = this.#child.exited.then((code) => Promise.reject(new Error(`the agent ended with ${code}`)));
    await Promise.race([eventually("a ready agent", ready, bound), ended]).catch((cause: unknown) => {
      throw new Error(`the agent is not ready:\n${this.log()}`, { cause });
    });
  }

  /** A page of Envoy's admin interface. */
  async admin(path: string): Promise<string> {
    return await this.pod.page(ports.admin, path);
  }

  /** A page of the agent. */
  async status(path: string): Promise<string> {
    return await this.pod.page(ports.agentStatus, path);
  }

  /** Counters and gauges of Envoy whose name matches the regular expression. */
  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const page = await this.admin(`/stats?format=json&filter=${encodeURIComponent(filter)}`);
    const { stats } = JSON.parse(page) as { stats: readonly { name?: string; value?: number }[] };
    return new Map(stats.flatMap(({ name, value }) => (name && value !== undefined ? [[name, value]] : [])));
  }

  /** Replaces the CA certificates by which the agent trusts the control plane, as a kubelet does with a ConfigMap. */
  trustControlPlane(roots: string): void {
    this.pod.files.write(rootFile, roots);
  }

  /** Replaces the token of the service account, as a kubelet does before the token expires. */
  replaceToken(token: string): void {
    this.pod.files.write(tokenFile, token);
  }

  /** How many streams of xDS the agent has opened to the control plane. */
  streams(): number {
    return this.linesLike(/connected to (?:delta )?upstream XDS server/u).length;
  }

  /** The statistics of Envoy that count rejections and are not 0. */
  async rejections(): Promise<readonly string[]> {
    const counts = [...(await this.stats("update_rejected$"))];
    return counts.flatMap(([name, count]) => (count > 0 ? [name] : []));
  }

  /** The metadata of the node in Envoy's bootstrap. */
  async nodeMetadata(): Promise<Readonly<Record<string, unknown>>> {
    const page = await this.admin("/config_dump?mask=bootstrap.node.metadata");
    const { configs } = JSON.parse(page) as { configs: readonly DumpedBootstrap[] };
    return configs.find(({ bootstrap }) => bootstrap !== undefined)?.bootstrap?.node.metadata ?? {};
  }

  /** The root certificates of mesh mTLS that Envoy has, as PEM. */
  async roots(): Promise<string> {
    const page = await this.admin("/config_dump?resource=dynamic_active_secrets");
    const { configs } = JSON.parse(page) as { configs: readonly DumpedSecret[] };
    const roots = configs.find(({ name }) => name === "ROOTCA")?.secret?.validation_context?.trusted_ca.inline_bytes;
    return Buffer.from(roots ?? "", "base64").toString();
  }

  /** The statistics of handshakes that failed, of connections between proxies. */
  async failedHandshakes(): Promise<readonly string[]> {
    const counts = [...(await this.stats("ssl.(connection_error|fail_verify.*)$"))];
    return counts.flatMap(([name, count]) => (count > 0 ? [`${name} is ${count}`] : []));
  }

  /** How many handshakes to other proxies succeeded. */
  async handshakes(): Promise<number> {
    const counts = [...(await this.stats("^cluster\\.outbound.*ssl.handshake$"))];
    return counts.reduce((sum, [, count]) => sum + count, 0);
  }

  /** How many certificates the agent got from a certificate authority. */
  issued(): number {
    return this.linesLike(/generated new workload certificate/u).length;
  }

  log(): string {
    return this.#child.log();
  }

  logged(words: string | RegExp): Promise<string> {
    return this.#child.logged(words);
  }

  linesLike(pattern: RegExp): readonly string[] {
    return this.#child.linesLike(pattern);
  }

  /** Tells the agent to end without draining, as a Job does when its work is done. Resolves with the exit code. */
  async quit(): Promise<number | string> {
    const script = `await fetch("http://127.0.0.1:${ports.agentStatus}/quitquitquit", { method: "POST" })`;
    await this.pod.start(process.execPath, ["--input-type=module", "-e", script]).exited;
    return await this.#child.exited;
  }

  /** Asks the agent to drain and end. Resolves with its exit code, or with the signal that ended it. */
  async stop(): Promise<number | string> {
    await this.#child.stop();
    return await this.#child.exited;
  }
}

/** The environment that Istio's injection sets, without Kubernetes. */
function environment(pod: Pod, options: AgentOptions): Readonly<Record<string, string>> {
  const { discoveryAddress, namespace, labels, mode = "delta", env, proxyConfig } = options;
  return {
    POD_NAME: `${pod.name}-0`,
    POD_NAMESPACE: namespace,
    INSTANCE_IP: pod.address,
    SERVICE_ACCOUNT: pod.name,
    TRUST_DOMAIN: "cluster.local",
    ISTIO_META_CLUSTER_ID: "Kubernetes",
    ISTIO_META_INTERCEPTION_MODE: "REDIRECT",
    ISTIO_METAJSON_LABELS: JSON.stringify(labels),
    ...(mode === "sotw" && { ISTIO_DELTA_XDS: "false" }),
    PROXY_CONFIG: JSON.stringify({ discoveryAddress, concurrency: 1, ...proxyConfig }),
    ...env,
  };
}
