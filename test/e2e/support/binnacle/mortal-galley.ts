import type { Child } from "../child.ts";
import { get } from "../http.ts";
import { binnacle } from "./command.ts";

/** A `binnacle pilot` in a process of its own, on any free ports. */
export interface RunningPilot extends AsyncDisposable {
  readonly child: Child;
  readonly xdsPort: number;
  readonly httpPort: number;
  readonly metricsPort: number;
}

/** Resolves when it says that it is ready. */
export async function startPilot(sources: readonly string[], ...args: readonly string[]): Promise<RunningPilot> {
  const ports = ["--xds", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--ctrlz", "off"];
  const child = binnacle("pilot", ...sources.flatMap((source) => ["--source", source]), ...ports, ...args);
  try {
    const ready = await child.line(/^ready: xds \S+:(\d+), http \S+:(\d+), metrics \S+:(\d+)/, { seconds: 60 });
    const [, xds, http, metrics] = ready.map(Number);
    return {
      child,
      xdsPort: xds ?? 0,
      httpPort: http ?? 0,
      metricsPort: metrics ?? 0,
      [Symbol.asyncDispose]: () => child.stop(),
    };
  } catch (cause) {
    await child.stop();
    throw new Error(`pilot did not start:\n${child.log()}`, { cause });
  }
}

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
    this.#child = binnacle("galley", ...this.#args, ...ports);
    await this.#child.line(/^ready: /, { seconds: 60 });
  }

  /** At once, without a word to anybody. */
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

/** How often a line with these words was printed. */
export function timesSaid(child: Child, words: string): number {
  return child.log().split(words).length - 1;
}

/** A series of a server's metrics. */
export async function metricsOf(port: number, name: string): Promise<readonly string[]> {
  const { body } = await get(port, "/metrics");
  return body.split("\n").filter((line) => line.startsWith(name));
}
