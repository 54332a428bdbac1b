import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Etcd3, type IOptions } from "etcd3";
import { peerPath } from "../../../../scripts/peer.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { Child } from "../child.ts";
import { freePort } from "../free-port.ts";
import type { IssuedFiles } from "../tls/certificates.ts";

interface Member {
  readonly port: number;
  readonly child: Child;
}

/** The credentials of the administrator. */
const root = { username: "root", password: "root-password" };

/** An etcd cluster of three members with TLS and users, on loopback, in a temporary folder. Needs the peer `kube`. */
export class EtcdCluster implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-etcds-"));
  readonly #certificates: IssuedFiles;
  #members: readonly Member[] = [];
  #admin: Etcd3 | undefined;

  private constructor(certificates: IssuedFiles) {
    this.#certificates = certificates;
  }

  /** Resolves when the members have a leader, and a user who may read and write below a prefix. */
  static async start(
    certificates: IssuedFiles,
    user: { readonly name: string; readonly password: string; readonly prefix: string },
  ): Promise<EtcdCluster> {
    const cluster = new EtcdCluster(certificates);
    await cluster.#spawn();
    const bare = cluster.#client(cluster.ports);
    await eventually("a leader", () => bare.kv.range({ key: Buffer.from("\0") }), { seconds: 60 });
    await bare.user(root.username).create(root.password);
    await bare.role("root").create();
    await bare.user(root.username).addRole("root");
    const role = await bare.role(user.name).create();
    await role.grant({ permission: "Readwrite", range: bare.range({ prefix: user.prefix }) });
    await bare.user(user.name).create(user.password);
    await bare.user(user.name).addRole(user.name);
    await bare.auth.authEnable();
    bare.close();
    cluster.#admin = cluster.#client(cluster.ports, root);
    return cluster;
  }

  get ports(): readonly number[] {
    return this.#members.map(({ port }) => port);
  }

  /** Writes a key, with retries while there is no leader. */
  async put(key: string, value: string): Promise<void> {
    await eventually(`${key} written`, () => this.#admin?.put(key).value(value).exec(), { seconds: 30 });
  }

  /** Kills the leader. */
  async killLeader(): Promise<void> {
    for (const { port, child } of this.#members) {
      const client = this.#client([port], root);
      const { header, leader } = await client.maintenance.status();
      client.close();
      if (leader === header.member_id) return child.kill("SIGKILL");
    }
    throw new Error("nobody leads");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#admin?.close();
    await Promise.all(this.#members.map(({ child }) => child.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #spawn(): Promise<void> {
    const binary = join(await peerPath("kube"), "etcd");
    const ports = await Promise.all(Array.from({ length: 3 }, freePort));
    const peers = await Promise.all(ports.map(async () => `http://127.0.0.1:${await freePort()}`));
    const { certificateChain, privateKey } = this.#certificates;
    this.#members = ports.map((port, index) => {
      const url = `https://127.0.0.1:${port}`;
      const flags = [
        `--name=m${index}`,
        `--data-dir=m${index}`,
        "--unsafe-no-fsync",
        "--log-level=error",
        `--cert-file=${certificateChain}`,
        `--key-file=${privateKey}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peers[index]}`,
        `--initial-advertise-peer-urls=${peers[index]}`,
        `--initial-cluster=${peers.map((peer, at) => `m${at}=${peer}`).join()}`,
      ];
      return { port, child: new Child(binary, flags, { cwd: this.#folder }) };
    });
  }

  #client(ports: readonly number[], auth?: IOptions["auth"]): Etcd3 {
    return new Etcd3({
      hosts: ports.map((port) => `https://127.0.0.1:${port}`),
      credentials: { rootCertificate: readFileSync(this.#certificates.rootCertificates) },
      grpcOptions: { "grpc.enable_http_proxy": 0 },
      ...(auth && { auth }),
    });
  }
}
