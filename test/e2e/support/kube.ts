import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { peerPath } from "../../../scripts/peer.ts";
import { Child } from "./child.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const token = "test-admin";

/** What the API server answered. Warnings are as `kubectl` would show them. */
export interface KubeAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** How a call of `kubectl` ended, and all it printed. */
export interface KubectlAnswer {
  readonly code: number | string;
  readonly output: string;
}

/** A Kubernetes API server with an etcd of its own, on loopback, in a temporary folder. Needs the peer `kube`. */
export class Kube implements AsyncDisposable {
  readonly #binaries: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #resources: AsyncDisposableStack;
  readonly #agent: Agent;

  private constructor(
    place: { readonly binaries: string; readonly folder: string; readonly port: number },
    resources: AsyncDisposableStack,
  ) {
    this.#binaries = place.binaries;
    this.#folder = place.folder;
    this.#port = place.port;
    this.#resources = resources;
    // The server makes itself a certificate at its first start: nobody else has signed it.
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(join(this.#folder, "certs/apiserver.crt")) });
    resources.defer(() => this.#agent.destroy());
  }

  /** Resolves when it is ready: a few seconds. */
  static async start(): Promise<Kube> {
    await using resources = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "binnacle-kube-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const binaries = await peerPath("kube");
    const etcdPort = await freePort();
    resources.use(new Child(join(binaries, "etcd"), await etcdFlags(etcdPort), { cwd: folder }));
    writeFileSync(join(folder, "sa.key"), serviceAccountKey());
    writeFileSync(join(folder, "tokens.csv"), `${token},admin,admin,"system:masters"\n`);
    const port = await freePort();
    const server = resources.use(
      new Child(join(binaries, "kube-apiserver"), serverFlags(port, etcdPort), { cwd: folder }),
    );
    const certificate = join(folder, "certs/apiserver.crt");
    await eventually("a certificate", () => readFileSync(certificate), { seconds: 60 }).catch((cause: unknown) => {
      throw new Error(`kube-apiserver did not start:\n${server.log()}`, { cause });
    });
    const kube = new Kube({ binaries, folder, port }, resources.move());
    await kube.#ready(server);
    return kube;
  }

  /** Calls the API as an administrator. */
  call(method: string, path: string, body?: object): Promise<KubeAnswer> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const options = { method, host: "127.0.0.1", port: this.#port, path, headers, agent: this.#agent };
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

  /** Runs `kubectl` as an administrator; `{file}` among the arguments stands for a file with the given objects. */
  async kubectl(args: readonly string[], objects: readonly object[] = []): Promise<KubectlAnswer> {
    const file = join(this.#folder, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    const config = join(this.#folder, "kubeconfig");
    writeFileSync(config, JSON.stringify(this.#kubeconfig()));
    const env = { ...process.env, HOME: this.#folder, KUBECONFIG: config, NO_PROXY: "127.0.0.1" };
    const given = args.map((arg) => (arg === "{file}" ? file : arg));
    await using child = new Child(join(this.#binaries, "kubectl"), given, { env, cwd: this.#folder });
    const code = await child.exited;
    return { code, output: child.log() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  async #ready(server: Child): Promise<void> {
    const ask = async () => ((await this.call("GET", "/readyz")).status === 200 ? true : undefined);
    await eventually("a ready API server", ask, { seconds: 60 }).catch(async (cause: unknown) => {
      await this.#resources.disposeAsync();
      throw new Error(`kube-apiserver is not ready:\n${server.log()}`, { cause });
    });
  }

  #kubeconfig(): object {
    const cluster = {
      server: `https://127.0.0.1:${this.#port}`,
      "certificate-authority": join(this.#folder, "certs/apiserver.crt"),
    };
    return {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "test", cluster }],
      users: [{ name: "admin", user: { token } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
      "current-context": "test",
    };
  }
}

async function etcdFlags(port: number): Promise<readonly string[]> {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  return [
    "--data-dir=etcd",
    "--unsafe-no-fsync",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

function serverFlags(port: number, etcdPort: number): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    "--cert-dir=certs",
    "--service-account-key-file=sa.key",
    "--service-account-signing-key-file=sa.key",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--token-auth-file=tokens.csv",
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--disable-admission-plugins=ServiceAccount",
    "--endpoint-reconciler-type=none",
  ];
}

function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return privateKey.export({ type: "pkcs1", format: "pem" }).toString();
}

/** `299 - "the text"`, with backslashes before what would end it. */
function warningText(header: string): string {
  return header.replace(/^299 - "(.*)"$/su, "$1").replaceAll(/\\(.)/gsu, "$1");
}

/** Health checks answer in plain words. */
function bodyOf(answer: string): KubeAnswer["body"] {
  return answer.startsWith("{") ? (JSON.parse(answer) as KubeAnswer["body"]) : { text: answer };
}
