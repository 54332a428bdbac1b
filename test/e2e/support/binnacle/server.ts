import { readdirSync, readFileSync } from "node:fs";
import type { Addresses } from "../../../../src/admin/state.ts";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import type { Child, ChildOptions } from "../child.ts";
import { get, portOf } from "../http.ts";
import { binnacle } from "./command.ts";

const anyPort = "127.0.0.1:0";
const anyPorts = ["--http", anyPort, "--metrics", anyPort];

export interface BinnacleOptions {
  readonly dir: string;
  /** Any free port unless given: a restarted server takes the port of the one before. */
  readonly xdsPort?: number;
  readonly args?: readonly string[];
  /** Of the process; ours unless given. */
  readonly env?: NodeJS.ProcessEnv;
}

/** `binnacle serve DIR`. */
export function startBinnacle({ dir, xdsPort = 0, args = [], env }: BinnacleOptions): Promise<BinnacleProcess> {
  const all = ["serve", dir, "--xds", `127.0.0.1:${xdsPort}`, "--ctrlz", "off", ...anyPorts, ...args];
  return startServer(all, { seconds: 60 }, env && { env });
}

/** `binnacle pilot`, with these sources. */
export function startPilot(sources: readonly string[], ...args: readonly string[]): Promise<BinnacleProcess> {
  const named = sources.flatMap((source) => ["--source", source]);
  return startServer(["pilot", ...named, "--xds", anyPort, "--ctrlz", "off", ...anyPorts, ...args]);
}

/** `binnacle galley`. */
export function startGalley(...args: readonly string[]): Promise<BinnacleProcess> {
  return startServer(["galley", "--mcp", anyPort, "--ctrlz", anyPort, ...anyPorts, ...args]);
}

/** A server of ours in a process of its own, with an address for HTTP. Resolves when it says that it is ready. */
export async function startServer(
  args: readonly string[],
  bound: Bound = { seconds: 60 },
  options?: ChildOptions,
): Promise<BinnacleProcess> {
  const child = binnacle(args, options);
  try {
    const [, http = ""] = await child.line(/^ready: .*\bhttp (127\.0\.0\.1:\d+)/, bound);
    const { body } = await get(portOf(http), "/debug/addresses");
    return new BinnacleProcess(child, JSON.parse(body) as Addresses);
  } catch (cause) {
    await child.stop();
    throw new Error(`binnacle did not start:\n${child.log()}`, { cause });
  }
}

export class BinnacleProcess implements AsyncDisposable {
  readonly #child: Child;
  readonly addresses: Addresses;

  constructor(child: Child, addresses: Addresses) {
    this.#child = child;
    this.addresses = addresses;
  }

  get xdsPort(): number {
    return portOf(this.addresses.xds);
  }

  get httpPort(): number {
    return portOf(this.addresses.http);
  }

  get metricsPort(): number {
    return portOf(this.addresses.metrics);
  }

  get ctrlzPort(): number {
    return portOf(this.addresses.ctrlz);
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

  /** Waits until these words are in the log: lines leave the process a little after the event. */
  async logged(words: string): Promise<void> {
    await eventually(`the log says ${words}`, () => this.log().includes(words), { seconds: 20 });
  }

  /** How often it has printed these words. */
  timesSaid(words: string): number {
    return this.log().split(words).length - 1;
  }

  /** The first line that matches, printed already or soon. */
  line(pattern: RegExp, bound: Bound): Promise<RegExpExecArray> {
    return this.#child.line(pattern, bound);
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
