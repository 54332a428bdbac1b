import { TcpProxy } from "../../support/abuse/tcp-proxy.ts";
import { BabblingServer } from "./babbling-server.ts";

/** The way to a server on loopback, which the test can break without the server. */
export class BreakableWay implements AsyncDisposable {
  readonly #target: number;
  readonly #proxy: TcpProxy;
  readonly #babbler: BabblingServer;

  private constructor(target: number, proxy: TcpProxy, babbler: BabblingServer) {
    this.#target = target;
    this.#proxy = proxy;
    this.#babbler = babbler;
  }

  static async to(target: number): Promise<BreakableWay> {
    return new BreakableWay(target, await TcpProxy.start(target), await BabblingServer.start());
  }

  /** The port for the server under test. */
  get port(): number {
    return this.#proxy.port;
  }

  /** Connections stay, and nothing comes through. */
  silence(): void {
    this.#proxy.silence();
  }

  /** Connections begin anew. From now on every piece of data takes so long, in both directions. */
  slowDown(holdMs: number): void {
    this.#proxy.slowDown(() => holdMs);
    this.#proxy.cut();
  }

  /** From now on a stranger answers, in no protocol. */
  garble(): void {
    this.#proxy.redirect(this.#babbler.port);
    this.#proxy.cut();
  }

  /** Ends all broken connections. New ones reach the server. */
  heal(): void {
    this.#proxy.redirect(this.#target);
    this.#proxy.heal();
    this.#proxy.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    await this.#babbler[Symbol.asyncDispose]();
  }
}
