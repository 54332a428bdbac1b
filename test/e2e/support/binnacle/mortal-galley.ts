import type { Child } from "../child.ts";
import { binnacle } from "./command.ts";

/** A `binnacle galley` that always has the same MCP port, however often it dies. */
export class MortalGalley implements AsyncDisposable {
  readonly port: number;
  readonly #args: readonly string[];
  #child: Child | undefined;

  constructor(port: number, ...args: readonly string[]) {
    this.port = port;
    this.#args = args;
  }

  get url(): string {
    return `mcp://127.0.0.1:${this.port}`;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const ports = ["--http", "off", "--metrics", "off", "--ctrlz", "off", "--mcp", `127.0.0.1:${this.port}`];
    this.#child = binnacle(["galley", ...this.#args, ...ports]);
    await this.#child.line(/^ready: /, { seconds: 60 });
  }

  /** Ends at once, without notice to clients. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child?.stop();
  }
}
