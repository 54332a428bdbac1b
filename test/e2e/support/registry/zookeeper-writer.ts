import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { ACL, type Client, CreateMode, createClient, Exception, Id, Permission, State } from "node-zookeeper-client";
import { eventually } from "../../../../src/testing/eventually.ts";

/** Of a Dubbo provider, below the root of its registry. */
export function providerPath(interfaceName: string, address: string, query = "side=provider"): string {
  const url = `dubbo://${address}/${interfaceName}?interface=${interfaceName}&${query}`;
  return `/${interfaceName}/providers/${encodeURIComponent(url)}`;
}

/** The library has no way to fall silent. */
interface Internals {
  readonly connectionManager: { findNextServer: () => void; readonly socket: Socket };
}

type Callback<T> = (error: Error | Exception | null, value: T) => void;

/**
 * Who writes into ZooKeeper what a source reads there: a provider with a session of its own. What was done already need
 * not be done: a write whose answer is lost with a leader is tried again.
 */
export class ZooKeeperWriter implements Disposable {
  readonly #client: Client;
  /** What providers are registered in is made once. */
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

  /** A node that stays, with those above it. */
  async make(path: string, data = ""): Promise<void> {
    await this.#call<string>((answer) => this.#client.mkdirp(path, answer));
    if (data !== "") await this.write(path, data);
  }

  /** A node that goes with this session. */
  async register(path: string, data = ""): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!this.#folders.has(folder)) await this.make(folder);
    this.#folders.add(folder);
    const create = (answer: Callback<string>) => {
      this.#client.create(path, Buffer.from(data), CreateMode.EPHEMERAL, answer);
    };
    await this.#call(create, Exception.NODE_EXISTS);
  }

  /** Leaves a node to those who know the password, and to nobody else. */
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

  /** The node and all below it, if it is there. */
  async removeAll(path: string): Promise<void> {
    const names = await this.children(path).catch(() => undefined);
    if (names === undefined) return;
    for (const name of names) await this.removeAll(`${path}/${name}`);
    await this.remove(path);
  }

  children(path: string): Promise<readonly string[]> {
    return this.#call<string[]>((answer) => this.#client.getChildren(path, answer));
  }

  /** Is gone without a word, as with its machine; what it registered goes when its session has expired. */
  vanish(): void {
    const { connectionManager } = this.#client as unknown as Internals;
    connectionManager.findNextServer = () => {};
    connectionManager.socket.destroy();
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }

  /** A client whose session has expired never answers: such a call is given up. */
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
