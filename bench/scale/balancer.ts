import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

/** Spreads connections over servers in turn, as a Service of Kubernetes does. A connection stays with its server. */
export class Balancer implements AsyncDisposable {
  readonly #ports: number[];
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>();
  #next = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = [...ports];
    this.#server = createServer({ noDelay: true }, (client) => this.#join(client));
  }

  static async start(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await new Promise<void>((resolve) => void balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections. The next ones of a fleet begin at another server. */
  moveAll(): void {
    this.#next += 1;
    for (const [client, server] of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  /** Gives no more connections to this server. */
  remove(index: number): void {
    this.#ports.splice(index, 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.moveAll();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const port = this.#ports[this.#next++ % this.#ports.length];
    if (port === undefined) throw new Error("no server is left");
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const end = () => {
      this.#pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.pipe(server).pipe(client);
  }
}
