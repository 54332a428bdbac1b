import { connect, createServer, type Server, type Socket } from "node:net";
import { listenLocally, portOfServer } from "../../../../src/testing/server/listen-locally.ts";

/** The address that all replicas share, as a Service of Kubernetes is. New connections go to the replicas in turn. */
export class Balancer implements AsyncDisposable {
  readonly #server: Server = createServer((near) => this.#join(near));
  readonly #sockets = new Set<Socket>();
  #replicas: readonly number[];
  #turn = 0;

  private constructor(replicas: readonly number[]) {
    this.#replicas = replicas;
  }

  static async start(replicas: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(replicas);
    await listenLocally(balancer.#server);
    return balancer;
  }

  get port(): number {
    return portOfServer(this.#server);
  }

  /** Sends new connections to these ports. Others stay where they are. */
  use(replicas: readonly number[]): void {
    this.#replicas = replicas;
  }

  /** Ends all connections, so that clients move to the replicas in use. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await this.#server[Symbol.asyncDispose]();
  }

  #join(near: Socket): void {
    const replica = this.#replicas[this.#turn++ % this.#replicas.length];
    if (replica === undefined) return void near.destroy();
    const far = connect(replica, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => {}).on("close", () => to.destroy(void this.#sockets.delete(from)));
      from.pipe(to);
    }
  }
}
