import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import { apiServerFlags, controllerFlags, etcdFlags, type KubePorts } from "./kube-flags.ts";

export interface TestClusterOptions {
  /** True to run the controllers: those that make endpoints of services and pods, and those for namespaces. */
  readonly controllers?: boolean;
  /** More flags for the API server. */
  readonly flags?: readonly string[];
}

/** The answer of the API server. Warnings have the form in which `kubectl` shows them. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** The exit code and the output of a call of `kubectl`. */
export interface KubectlAnswer {
  readonly code: number | string;
  readonly output: string;
}

/** The calling user: an administrator, or a user without rights until a role is bound. */
export type KubeUser = "admin" | "mesh";

/**
 * A Kubernetes API server with its own etcd, on loopback, in a temporary folder. Needs the peer `kube`. Tests may stop,
 * kill and restart the server. It keeps its port and its data.
 */
export class Kube implements AsyncDisposable {
  readonly #binaries: string;
  readonly #ports: KubePorts;
  readonly #options: Required<TestClusterOptions>;
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-kube-"));
  readonly #resources = new AsyncDisposableStack();
  #server: Child | undefined;
  #controllers: Child | undefined;
  #agent: Agent | undefined;

  private constructor(binaries: string, ports: KubePorts, options: Required<TestClusterOptions>) {
    this.#binaries = binaries;
    this.#ports = ports;
    this.#options = options;
    this.#resources.defer(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** Resolves when the server is ready, after a few seconds. */
  static async start({ controllers = false, flags = [] }: TestClusterOptions = {}): Promise<Kube> {
    const kube = new Kube(await peerPath("kube"), await freePorts(), { controllers, flags });
    try {
      await kube.#start();
      return kube;
    } catch (cause) {
      const log = kube.#server?.log() ?? "";
      await kube[Symbol.asyncDispose]();
      throw new Error(`kube-apiserver did not start:\n${log}`, { cause });
    }
  }

  async #start(): Promise<void> {
    writeFileSync(join(this.#folder, "sa.key"), serviceAccountKey());
    writeFileSync(join(this.#folder, "tokens.csv"), tokens);
    this.#resources.use(this.#child("etcd", etcdFlags(this.#ports)));
    this.#resources.defer(() => this.stopServer());
    await this.startServer();
  }

  /**
   * Resolves when the server is ready. The controllers restart too: after a lost connection they would return a minute
   * later.
   */
  async startServer(): Promise<void> {
    this.#server ??= this.#child("kube-apiserver", [...apiServerFlags(this.#ports), ...this.#options.flags]);
    await eventually("a ready API server", () => this.#isReady(), { seconds: 60 });
    if (!this.#options.controllers) return;
    const flags = controllerFlags(this.#ports, this.kubeconfig("admin"));
    this.#controllers = this.#child("kube-controller-manager", flags);
  }

  /** Resolves when the server and its controllers are gone, at once with `SIGKILL`. Its etcd keeps running. */
  async stopServer(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#controllers?.kill("SIGKILL");
    this.#server?.kill(signal);
    await this.#controllers?.stop({ seconds: 5 });
    await this.#server?.stop({ seconds: 5 });
    this.#controllers = undefined;
    this.#server = undefined;
    this.#agent?.destroy();
  }

  /** From now on the server answers nothing, and keeps its connections. */
  pauseServer(): void {
    this.#server?.kill("SIGSTOP");
  }

  resumeServer(): void {
    this.#server?.kill("SIGCONT");
  }

  /**
   * Compacts etcd: it forgets the history before now. After a restart the server has no history either, and rejects
   * attempts to resume an earlier watch.
   */
  async compact(): Promise<void> {
    const { header } = await this.#etcd("maintenance/status", {});
    await this.#etcd("kv/compaction", { revision: header.revision });
  }

  /** Where the server listens on loopback. */
  get port(): number {
    return this.#ports.server;
  }

  /** The path of a kubeconfig for a user. */
  kubeconfig(user: KubeUser): string {
    return this.#writeKubeconfig(user, tokenOf(user));
  }

  #writeKubeconfig(user: string, token: string): string {
    const file = join(this.#folder, `kubeconfig-${user}`);
    const cluster = {
      server: `https://127.0.0.1:${this.#ports.server}`,
      "certificate-authority": join(this.#folder, certificate),
    };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user } }],
      "current-context": "test",
    };
    // Renamed into place: a command that reads the file meanwhile finds it whole.
    writeFileSync(`${file}.new`, JSON.stringify(config));
    renameSync(`${file}.new`, file);
    return file;
  }

  /** The path of a kubeconfig for a service account. */
  async kubeconfigOf(namespace: string, account: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const { body } = await this.call("POST", path, { spec: { expirationSeconds: 3600 } });
    const { token } = body["status"] as { readonly token: string };
    return this.#writeKubeconfig(`${namespace}-${account}`, token);
  }

  /** Each attempt reads the certificate again: the first ones may find a file that the server has not written whole. */
  async #isReady(): Promise<boolean> {
    this.#agent?.destroy();
    this.#agent = undefined;
    return (await this.call("GET", "/readyz")).status === 200;
  }

  /** Calls the API as an administrator. */
  call(method: string, path: string, body?: object, contentType = "application/json"): Promise<KubeAnswer> {
    // The server creates a self-signed certificate at its first start.
    this.#agent ??= new Agent({ keepAlive: true, ca: readFileSync(join(this.#folder, certificate)) });
    const headers = { authorization: `Bearer ${tokenOf("admin")}`, "content-type": contentType };
    const options = { method, host: "127.0.0.1", port: this.#ports.server, path, headers, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, timeout: 60_000 }, (response) => {
        const { statusCode = 0, headersDistinct } = response;
        const warnings = (headersDistinct["warning"] ?? []).map(warningText);
        text(response).then((answer) => resolve({ status: statusCode, body: bodyOf(answer), warnings }), reject);
      });
      sent.on("timeout", () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Runs `kubectl` as an administrator. The argument `{file}` becomes the path of a file with the given objects. */
  async kubectl(args: readonly string[], objects: readonly object[] = []): Promise<KubectlAnswer> {
    const file = join(this.#folder, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const env = { HOME: this.#folder, KUBECONFIG: this.kubeconfig("admin"), NO_PROXY: "127.0.0.1" };
    const given = args.map((arg) => (arg === "{file}" ? file : arg));
    await using child = this.#child("kubectl", given, env);
    const code = await child.exited;
    return { code, output: child.log() };
  }

  /** Defines kinds, and resolves when they are served. */
  async define(definitions: readonly object[]): Promise<void> {
    const waiting = ["wait", "--for=condition=Established", "--timeout=60s", "-f", "{file}"];
    for (const args of [["create", "-f", "{file}"], waiting]) {
      const { code, output } = await this.kubectl(args, definitions);
      if (code !== 0) throw new Error(`the kinds are not defined: ${output}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #child(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
    return new Child(join(this.#binaries, name), args, { cwd: this.#folder, env: { ...process.env, ...env } });
  }

  async #etcd(method: string, message: object): Promise<EtcdAnswer> {
    const url = `http://127.0.0.1:${this.#ports.etcd}/v3/${method}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(message) });
    if (!response.ok) throw new Error(`etcd refuses ${method}: ${await response.text()}`);
    return (await response.json()) as EtcdAnswer;
  }
}

interface EtcdAnswer {
  readonly header: { readonly revision: string };
}

const certificate = "certs/apiserver.crt";
const tokens = `${tokenOf("admin")},admin,admin,"system:masters"\n${tokenOf("mesh")},mesh,mesh\n`;

function tokenOf(user: KubeUser): string {
  return `token-of-${user}`;
}

async function freePorts(): Promise<KubePorts> {
  const [etcd, etcdPeers, server, controllers] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  return { etcd, etcdPeers, server, controllers };
}

function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
}

/** `299 - "the text"`, with backslashes as escapes. */
function warningText(header: string): string {
  return header.replace(/^299 - "(.*)"$/su, "$1").replaceAll(/\\(.)/gsu, "$1");
}

/** Health checks answer in plain text. */
function bodyOf(answer: string): KubeAnswer["body"] {
  return answer.startsWith("{") ? (JSON.parse(answer) as KubeAnswer["body"]) : { text: answer };
}
