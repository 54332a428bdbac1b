import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { ACL, type Client, CreateMode, createClient, Exception, Id, Permission, State } from "node-zookeeper-client";
import { eventually } from "../../../../src/testing/eventually.ts";

/** The path of a Dubbo provider, below the root of its registry. */
export function providerPath(interfaceName: string, address: string, query = "side=provider"): string {
  const url = `dubbo://${address}/${interfaceName}?interface=${interfaceName}&${query}`;
  return `/${interfaceName}/providers/${encodeURIComponent(url)}`;
}

/** Internals of the library, which has no function to go silent. */
interface Internals {
  readonly connectionManager: { findNextServer: () => void; readonly socket: Socket };
}

type Callback<T> = (error: Error | Exception | null, value: T) => void;

/**
 * A provider with its own session that writes into ZooKeeper for a source to read. Writes are idempotent: a write whose
 * answer is lost with a leader is tried again.
 */
export class ZooKeeperWriter implements Disposable {
  readonly #client: Client;
  /** The parent nodes of providers, each created once. */
  readonly #folders = new Set<string>();

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(addresses: readonly string[], sessionTimeout = 30_000): Promise<ZooKeeperWriter> {
    const client = createClient(addresses.join(), { sessionTimeout, spinDelay: 100, retries: 10 });
    client.connect();
    const isConnected = () => client.getState() === State.SYNC_CONNECTED;
    await eventually("a session with ZooKeeper", isConnected, { seconds: 30 });
    return new ZooKeeperWriter(client);
  }

  /** Creates a persistent node, and its parents. */
  async make(path: string, data = ""): Promise<void> {
    await this.#call<string>((answer) => this.#client.mkdirp(path, answer));
    if (data !== "") await this.write(path, data);
  }

  /** Creates an ephemeral node of this session. */
  async register(path: string, data = ""): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!this.#folders.has(folder)) await this.make(folder);
    this.#folders.add(folder);
    const create = (answer: Callback<string>) => {
      this.#client.create(path, Buffer.from(data), CreateMode.EPHEMERAL, answer);
    };
    await this.#call(create, Exception.NODE_EXISTS);
  }

  /** Restricts a node to users with the password. */
  async lock(path: string, user: string, password: string): Promise<void> {
    const hash = createHash("sha1").update(`${user}:${password}`).digest("base64");
    const acl = new ACL(Permission.ALL, new Id("digest", `${user}:${hash}`));
    await this.#call((answer) => this.#client.setACL(path, [acl], -1, answer));
  }

  async write(path: string, data: string): Promise<void> {
    await this.#call((answer) => this.#client.setData(path, Buffer.from(data), -1, answer));
  }

  async remove(path: string): Promise<void> {
    const remove = (answer: Callback<void>) => {
      this.#client.remove(path, -1, (error) => answer(error, undefined));
    };
    await this.#call(remove, Exception.NO_NODE);
  }

  /** Deletes the node and all nodes below it, if it exists. */
  async removeAll(path: string): Promise<void> {
    const names = await this.children(path).catch(() => undefined);
    if (names === undefined) return;
    for (const name of names) await this.removeAll(`${path}/${name}`);
    await this.remove(path);
  }

  children(path: string): Promise<readonly string[]> {
    return this.#call<string[]>((answer) => this.#client.getChildren(path, answer));
  }

  /** Vanishes like a failing machine. Its ephemeral nodes go when its session expires. */
  vanish(): void {
    const { connectionManager } = this.#client as unknown as Internals;
    connectionManager.findNextServer = () => {};
    connectionManager.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  /** Rejects after a while: a client with an expired session never answers. */
  #call<T>(send: (answer: Callback<T>) => void, harmless?: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("ZooKeeper does not answer")), 60_000);
      send((error, value) => {
        clearTimeout(late);
        if (error === null || ("code" in error && error.code === harmless)) resolve(value);
        else reject(new Error(String(error), { cause: error }));
      });
    });
  }
}
