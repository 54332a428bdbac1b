import { connect } from "node:tls";
import { once } from "node:events";
import type { EnvoyNode } from "../support/envoy/bootstrap.ts";
import { type EnvoyProcess, startEnvoy } from "../support/envoy/envoy.ts";
import { askAll, get, type HttpReply } from "../support/http.ts";
import { hostOf, type Slot } from "./tenant-mesh.ts";

export interface EdgeOptions {
  readonly slot: Slot;
  /** The port of its hosts. */
  readonly port: number;
  readonly xdsPort: number;
  readonly mode: "sotw" | "delta";
}

/** A real Envoy as a gateway, in one slot of the mesh. */
export class Edge implements AsyncDisposable {
  readonly envoy: EnvoyProcess;
  readonly slot: Slot;
  readonly #port: number;

  private constructor(envoy: EnvoyProcess, { slot, port }: EdgeOptions) {
    this.envoy = envoy;
    this.slot = slot;
    this.#port = port;
  }

  /** In the slots `old` and `fresh-old` it is the old Envoy. */
  static async start(options: EdgeOptions): Promise<Edge> {
    const { slot, xdsPort, mode } = options;
    const peer = slot === "old" || slot === "fresh-old" ? "envoy-old" : "envoy";
    return new Edge(await startEnvoy({ xdsPort, mode, node: nodeOf(slot), peer }), options);
  }

  /** The version in the answer of a host, or the status of an answer without one. */
  async versionOf(index: number, path = "/"): Promise<string> {
    return versionIn(await get(this.#port, path, { host: hostOf(index) }));
  }

  /** The status of a request. */
  async statusOf(index: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    return (await get(this.#port, path, { host: hostOf(index), headers })).status;
  }

  /** A header of an answer. */
  async headerOf(index: number, name: string): Promise<string> {
    return String((await get(this.#port, "/", { host: hostOf(index) })).headers[name] ?? "none");
  }

  /** Asks each host once. Returns those that do not answer with the expected version: `host-3: 404`. */
  async unexpected(versions: ReadonlyMap<number, string>): Promise<readonly string[]> {
    const indexes = [...versions.keys()];
    const replies = await askAll(
      this.#port,
      "/",
      indexes.map((index) => ({ host: hostOf(index) })),
    );
    return indexes.flatMap((index, place) => {
      const reply = replies[place];
      const found = typeof reply === "object" ? versionIn(reply) : String(reply);
      return found === versions.get(index) ? [] : [`host-${index}: ${found}`];
    });
  }

  /** The common name of the certificate at a port. */
  async certificateAt(port: number, serverName: string): Promise<string> {
    const socket = connect({ host: "127.0.0.1", port, servername: serverName, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  /** A page of Envoy's admin interface. */
  async page(path: string): Promise<string> {
    return (await get(this.envoy.adminPort, path)).body;
  }

  /** The number of responses that this Envoy has rejected. */
  async rejections(): Promise<number> {
    return [...(await this.envoy.stats("update_rejected$")).values()].reduce((sum, each) => sum + each, 0);
  }

  /** Resolves when Envoy has everything that it needs to serve. */
  async live(): Promise<void> {
    await this.envoy.waitFor(async ({ adminPort }) => (await get(adminPort, "/ready")).status === 200);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.envoy.stop();
  }
}

function versionIn({ status, headers }: HttpReply): string {
  return status === 200 ? String(headers["x-version"]) : String(status);
}

function nodeOf(slot: Slot): EnvoyNode {
  return {
    id: `router~127.0.0.1~gw-${slot}.istio-system~istio-system.svc.cluster.local`,
    metadata: { NAMESPACE: "istio-system", LABELS: { app: "gw", slot } },
  };
}
