import { readdirSync, readFileSync } from "node:fs";
import type { Addresses } from "../../../../src/admin/state.ts";
import type { Bound } from "../../../../src/testing/eventually.ts";
import type { Child } from "../child.ts";
import { askPatiently, portOf } from "../http.ts";
import { binnacle, type CommandOptions } from "./command.ts";

const anyPort = "127.0.0.1:0";
const anyPorts = ["--http", anyPort, "--metrics", anyPort];

export interface BinnacleOptions {
  readonly dir: string;
  /** Default: any free port. A restarted server takes the port of its predecessor. */
  readonly xdsPort?: number;
  readonly args?: readonly string[];
  /** The environment of the process. Default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  /** A command that becomes the server, such as `prlimit`. */
  readonly within?: readonly string[];
}

/** `binnacle serve DIR`. */
export function startBinnacle({
  dir,
  xdsPort = 0,
  args = [],
  env,
  within = [],
}: BinnacleOptions): Promise<BinnacleProcess> {
  const all = ["serve", dir, "--xds", `127.0.0.1:${xdsPort}`, "--ctrlz", "off", ...anyPorts, ...args];
  return startServer(all, { seconds: 60 }, { within, ...(env && { env }) });
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

/** Starts one of our servers in a separate process, with an HTTP address. Resolves when it reports that it is ready. */
export async function startServer(
  args: readonly string[],
  bound: Bound = { seconds: 60 },
  options?: CommandOptions,
): Promise<BinnacleProcess> {
  return await whenReady(binnacle(args, options), bound);
}

/** A process that starts one of our servers. Resolves when it reports that it is ready. */
export async function whenReady(child: Child, bound: Bound = { seconds: 60 }): Promise<BinnacleProcess> {
  try {
    const [, http = ""] = await child.line(/^ready: .*\bhttp (127\.0\.0\.1:\d+)/, bound);
    const { body } = await askPatiently("GET", portOf(http), "/debug/addresses");
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

  /** The process to which limits apply. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("the process did not start");
    return this.#child.pid;
  }

  /** The current memory in megabytes. */
  get rssMb(): number {
    return this.#memoryMb(/^VmRSS:\s+(\d+) kB$/m);
  }

  /** The most memory so far, in megabytes. */
  get peakRssMb(): number {
    return this.#memoryMb(/^VmHWM:\s+(\d+) kB$/m);
  }

  #memoryMb(line: RegExp): number {
    return Number(line.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1]) / 1000;
  }

  /** The CPU time used so far, in steps of 10 ms. */
  get cpuSeconds(): number {
    const [user = 0, system = 0] = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8")
      .split(" ")
      .slice(13)
      .map(Number);
    return (user + system) / 100;
  }

  /** The number of open files and sockets. */
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

  /** The first line of the log with these words, now or soon. */
  logged(words: string | RegExp): Promise<string> {
    return this.#child.logged(words);
  }

  /** The matching lines so far: for lines that must be absent, and for counts. */
  linesLike(pattern: RegExp): readonly string[] {
    return this.#child.linesLike(pattern);
  }

  /** How often the log has these words. */
  timesSaid(words: string): number {
    return this.log().split(words).length - 1;
  }

  /** The first matching line, now or soon. */
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
