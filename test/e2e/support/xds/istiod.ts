import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import { ask, get } from "../http.ts";

/** Disables features that are not needed to read configuration and to serve proxies. */
const context = {
  // Since 2026 istiod sends its configuration only to authenticated clients, and plaintext has no authentication.
  ENABLE_XDS_API_GENERATOR_AUTH: "false",
  INJECT_ENABLED: "false",
  PILOT_ENABLE_AMBIENT: "false",
  POD_NAME: "istiod-0",
  POD_NAMESPACE: "istio-system",
  REVISION: "default",
  VALIDATION_WEBHOOK_CONFIG_NAME: "",
};

export interface IstiodOptions {
  /** The kubeconfig of an API server, without which istiod does not start. */
  readonly kubeconfig: string;
  /** The sources of its configuration: `xds://…`, `fs://…`, `k8s://`. */
  readonly configSources: readonly string[];
  /** Default: the peer `istiod`. */
  readonly executable?: string;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The directory of its certificate authority, in the layout `cacerts`. In an empty directory istiod uses the Secret
   * `istio-ca-secret`. Default: no authority and no TLS port.
   */
  readonly cacerts?: string;
  /** More fields of its MeshConfig. */
  readonly mesh?: object;
  /** The files of its injection webhook, which is off without them. */
  readonly injection?: { readonly config: string; readonly values: string };
}

interface IstiodPorts {
  readonly xds: number;
  /** Over TLS. The certificate authority is here. */
  readonly secure: number;
  readonly http: number;
  readonly metrics: number;
}

/** A real istiod on loopback, in a temporary folder. Needs the peers `istiod` and `kube`. */
export class Istiod implements AsyncDisposable {
  readonly xdsPort: number;
  readonly securePort: number;
  readonly #ports: IstiodPorts;
  readonly #resources: AsyncDisposableStack;
  readonly #child: Child;

  private constructor(child: Child, ports: IstiodPorts, resources: AsyncDisposableStack) {
    this.#child = child;
    this.#ports = ports;
    this.xdsPort = ports.xds;
    this.securePort = ports.secure;
    this.#resources = resources;
  }

  /** Does not wait until istiod is ready: that may depend on its configuration source. */
  static async start({
    kubeconfig,
    configSources,
    executable,
    env = {},
    cacerts,
    mesh: more,
    injection,
  }: IstiodOptions): Promise<Istiod> {
    await using resources = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "binnacle-istiod-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const mesh = { ...more, configSources: configSources.map((address) => ({ address })) };
    writeFileSync(join(folder, "mesh.yaml"), JSON.stringify(mesh));
    const injector = join(folder, "var/lib/istio/inject");
    if (injection !== undefined) mkdirSync(injector, { recursive: true });
    for (const [file, text] of Object.entries(injection ?? {})) writeFileSync(join(injector, file), text);
    const injecting = injection === undefined ? {} : { INJECT_ENABLED: "true" };
    const [xds, secure, http, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const ports = { xds, secure, http, metrics };
    const flags = [
      "discovery",
      "--registries=Kubernetes",
      `--kubeconfig=${kubeconfig}`,
      "--meshConfig=mesh.yaml",
      "--networksConfig=none",
      "--clusterID=Kubernetes",
      `--grpcAddr=127.0.0.1:${ports.xds}`,
      `--httpAddr=127.0.0.1:${ports.http}`,
      `--monitoringAddr=127.0.0.1:${ports.metrics}`,
      "--httpsAddr=",
      `--secureGRPCAddr=${cacerts === undefined ? "" : `127.0.0.1:${secure}`}`,
    ];
    const authority = { ENABLE_CA_SERVER: String(cacerts !== undefined), ...(cacerts && { ROOT_CA_DIR: cacerts }) };
    const place = {
      cwd: folder,
      env: { ...context, ...authority, ...injecting, HOME: folder, NO_PROXY: "127.0.0.1", ...env },
    };
    const child = resources.use(new Child(executable ?? (await peerPath("istiod")), flags, place));
    return new Istiod(child, ports, resources.move());
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("istiod did not start");
    return this.#child.pid;
  }

  /** Resolves when istiod serves proxies. */
  async ready(): Promise<void> {
    const isReady = async () => (await get(this.#ports.http, "/ready")).status === 200;
    await eventually("a ready istiod", isReady, { seconds: 30 }).catch((cause: unknown) => {
      throw new Error(`istiod is not ready:\n${this.#child.log()}`, { cause });
    });
  }

  /** The configuration of istiod, sorted: it lists objects of equal age in any order. */
  async configs(): Promise<readonly string[]> {
    const { body } = await get(this.#ports.http, "/debug/configz");
    return (JSON.parse(body) as readonly object[]).map((config) => JSON.stringify(config)).toSorted();
  }

  /** The number of configuration updates. Each costs a push to all proxies. */
  async configUpdates(): Promise<number> {
    const { body } = await get(this.#ports.metrics, "/metrics");
    return Number(/^pilot_inbound_updates\{type="config"\} (\d+)$/m.exec(body)?.[1] ?? 0);
  }

  /** The answer of its injection webhook to an AdmissionReview. */
  async inject(review: string): Promise<string> {
    const headers = { "content-type": "application/json" };
    const { status, body } = await ask("POST", this.#ports.http, "/inject", { headers, body: review });
    if (status !== 200) throw new Error(`istiod answers ${status}: ${body}`);
    return body;
  }

  log(): string {
    return this.#child.log();
  }

  /** The matching lines so far: for counts. */
  linesLike(pattern: RegExp): readonly string[] {
    return this.#child.linesLike(pattern);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
