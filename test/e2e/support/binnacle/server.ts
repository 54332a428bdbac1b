import { readdirSync, readFileSync } from "node:fs";
import { main } from "../checkout.ts";
import { Child } from "../child.ts";
import { get } from "../http.ts";

export interface BinnacleOptions {
  readonly dir: string;
  /** Any free port unless given: a restarted server takes the port of the one before. */
  readonly xdsPort?: number;
  readonly args?: readonly string[];
}

/** `binnacle serve DIR` in a process of its own. Resolves when it says that it is ready. */
export async function startBinnacle({ dir, xdsPort = 0, args = [] }: BinnacleOptions): Promise<BinnacleProcess> {
  const listeners = [
    "--xds",
    `127.0.0.1:${xdsPort}`,
    "--http",
    "127.0.0.1:0",
    "--metrics",
    "127.0.0.1:0",
    "--ctrlz",
    "off",
  ];
  const child = new Child(process.execPath, [main, "serve", dir, ...listeners, ...args]);
  try {
    const ready = await child.line(/^ready: .*xds 127\.0\.0\.1:(\d+), http 127\.0\.0\.1:(\d+)/, { seconds: 30 });
    const httpPort = Number(ready[2]);
    const { body } = await get(httpPort, "/debug/addresses");
    const { metrics } = JSON.parse(body) as { readonly metrics: string };
    const metricsPort = Number(metrics.slice(metrics.lastIndexOf(":") + 1));
    return new BinnacleProcess(child, { xds: Number(ready[1]), http: httpPort, metrics: metricsPort });
  } catch (cause) {
    await child.stop();
    throw new Error(`binnacle did not start:\n${child.log()}`, { cause });
  }
}

export class BinnacleProcess implements AsyncDisposable {
  readonly #child: Child;
  readonly xdsPort: number;
  readonly httpPort: number;
  readonly metricsPort: number;

  constructor(child: Child, ports: { readonly xds: number; readonly http: number; readonly metrics: number }) {
    this.#child = child;
    this.xdsPort = ports.xds;
    this.httpPort = ports.http;
    this.metricsPort = ports.metrics;
  }

  /** Memory it has now, in megabytes. */
  get rssMb(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000;
  }

  /** What it has used of the processor so far, in steps of 10 ms. */
  get cpuSeconds(): number {
    const [user = 0, system = 0] = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
      .split(" ")
      .slice(13)
      .map(Number);
    return (user + system) / 100;
  }

  /** Files and sockets that it has open. */
  get openFiles(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  /** The exit code, or the signal that ended it. */
  get exited(): Promise<number | string> {
    return this.#child.exited;
  }

  log(): string {
    return this.#child.log();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
