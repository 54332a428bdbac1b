import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Etcd3 } from "etcd3";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import { get } from "../http.ts";

/** An etcd of one member on loopback, in a temporary folder. Needs the peer `kube`. */
export class Etcd implements AsyncDisposable {
  readonly #binary: string;
  readonly #folder: string;
  readonly port: number;
  readonly #peerPort: number;
  /** The client for writes of tests. It does not wait for a server that is down. */
  readonly client: Etcd3;
  #child: Child;

  private constructor(binary: string, port: number, peerPort: number) {
    this.#binary = binary;
    this.#folder = mkdtempSync(join(tmpdir(), "binnacle-etcd-"));
    this.port = port;
    this.#peerPort = peerPort;
    this.client = new Etcd3({ hosts: `127.0.0.1:${port}`, grpcOptions: { "grpc.enable_http_proxy": 0 } });
    this.#child = this.#spawn();
  }

  /** Resolves when the server is ready, after a second. */
  static async start(): Promise<Etcd> {
    const etcd = new Etcd(join(await peerPath("kube"), "etcd"), await freePort(), await freePort());
    await etcd.#ready();
    return etcd;
  }

  /** The URL of the objects of a mesh with this name. */
  url(mesh: string): string {
    return `etcd://127.0.0.1:${this.port}/${mesh}`;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the server. Acknowledged writes stay. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  /** After {@link kill}: starts the same server again, with its data. */
  async restart(): Promise<void> {
    this.#child = this.#spawn();
    await this.#ready();
  }

  /** After {@link kill}: starts another, empty store at the same address. */
  async replace(): Promise<void> {
    rmSync(join(this.#folder, "data"), { recursive: true });
    await this.restart();
  }

  /** Keeps a copy of everything, as of now. The server restarts. */
  async backup(): Promise<void> {
    await this.kill();
    cpSync(join(this.#folder, "data"), join(this.#folder, "backup"), { recursive: true });
    await this.restart();
  }

  /** After {@link kill}: starts with the content of the last backup. It has the same id, and fewer revisions. */
  async restore(): Promise<void> {
    rmSync(join(this.#folder, "data"), { recursive: true });
    cpSync(join(this.#folder, "backup"), join(this.#folder, "data"), { recursive: true });
    await this.restart();
  }

  /** Compacts the history before now. */
  async compact(): Promise<void> {
    const { header } = await this.client.kv.range({ key: Buffer.from("\0"), count_only: true });
    await this.client.kv.compact({ revision: header.revision, physical: true }).catch((thrown: unknown) => {
      // There is nothing to compact since the last time.
      if (!String(thrown).includes("has been compacted")) throw thrown;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    this.#child.kill("SIGCONT");
    await this.#child.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(): Child {
    const [clients, peers] = [this.port, this.#peerPort].map((port) => `http://127.0.0.1:${port}`);
    const flags = [
      "--data-dir=data",
      // A new token each time, so that an empty store is a different store.
      `--initial-cluster-token=${performance.now()}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ];
    return new Child(this.#binary, flags, { cwd: this.#folder });
  }

  async #ready(): Promise<void> {
    const healthy = async () => (await get(this.port, "/health")).body.includes('"health":"true"');
    await eventually("a healthy etcd", healthy, { seconds: 30 }).catch((cause: unknown) => {
      throw new Error(`etcd is not healthy:\n${this.#child.log()}`, { cause });
    });
  }
}
