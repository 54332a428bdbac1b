import { join } from "node:path";
import type { QuarantinedObject } from "../../../src/admin/pilot/quarantine.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle, whenReady } from "../support/binnacle/server.ts";
import { Child } from "../support/child.ts";
import { get } from "../support/http.ts";

/** A line of the server's log, with the fields that the proof reads. */
interface LogLine {
  readonly time: string;
  readonly msg: string;
  readonly probes?: number;
  readonly object?: string;
  readonly instead?: string;
}

const rejected = "proxy rejected a response";
const quarantined = "object quarantined";
const released = "object released from quarantine";
const searches: readonly string[] = ["search for refused objects ended", "no object found that explains the rejection"];

export interface JudgingServerOptions {
  readonly dir: string;
  /** `serve` is the command itself. `unvalidated` also serves objects that validation refuses. */
  readonly validation: "serve" | "unvalidated";
  /** The file with the refused objects, for the next process. Default: none. */
  readonly store: string | undefined;
}

/** A control plane in a process of its own, which can be replaced by another one at the same port. */
export class JudgingServer implements AsyncDisposable {
  readonly #options: JudgingServerOptions;
  #process: BinnacleProcess;
  /** The lines of ended processes. */
  readonly #before: LogLine[] = [];

  private constructor(options: JudgingServerOptions, process: BinnacleProcess) {
    this.#options = options;
    this.#process = process;
  }

  static async start(options: JudgingServerOptions): Promise<JudgingServer> {
    return new JudgingServer(options, await open(options, 0));
  }

  get xdsPort(): number {
    return this.#process.xdsPort;
  }

  /** Ends the process by a signal, and starts another one with the same files at the same port. */
  async restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const { xdsPort } = this.#process;
    this.#process.kill(signal);
    await this.#process.exited;
    this.#before.push(...linesOf(this.#process));
    this.#process = await open(this.#options, xdsPort);
  }

  /** When the first proxy rejected a response, on the clock of `Date.now()`. Waits for it. */
  async firstRejection(): Promise<number> {
    const line = await this.#awaited("a rejection", () => this.#lines(rejected)[0]);
    return Date.parse(line.time);
  }

  /** Waits until so many objects were quarantined in all, and returns them: `VirtualService/shop/host-3: nothing`. */
  async quarantined(count: number): Promise<readonly string[]> {
    return await this.#awaited(`${count} objects in quarantine`, () => {
      const lines = this.#lines(quarantined);
      return lines.length >= count ? lines.map(({ object, instead }) => `${idIn(object)}: ${instead}`) : undefined;
    });
  }

  /** Waits until so many objects were released in all. */
  async released(count: number): Promise<readonly string[]> {
    return await this.#awaited(`${count} objects released`, () => {
      const lines = this.#lines(released);
      return lines.length >= count ? lines.map(({ object }) => idIn(object)) : undefined;
    });
  }

  /** The probes of all searches so far that have ended. */
  probes(): number {
    return this.#lines(...searches).reduce((sum, { probes = 0 }) => sum + probes, 0);
  }

  /** The objects in quarantine now. */
  async inQuarantine(): Promise<readonly QuarantinedObject[]> {
    const { body } = await get(this.#process.httpPort, "/debug/quarantine");
    const { objects } = JSON.parse(body) as { readonly objects: readonly QuarantinedObject[] };
    return objects;
  }

  log(): string {
    return this.#process.log();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process.stop();
  }

  #lines(...messages: readonly string[]): readonly LogLine[] {
    return [...this.#before, ...linesOf(this.#process)].filter(({ msg }) => messages.includes(msg));
  }

  async #awaited<T>(state: string, read: () => T | undefined): Promise<T> {
    return await eventually(state, read, { seconds: 30 }).catch((cause: unknown) => {
      throw new Error(`the server does not report ${state}:\n${this.log().slice(-4_000)}`, { cause });
    });
  }
}

/** Both end their streams at once when they stop. */
async function open({ dir, validation, store }: JudgingServerOptions, xdsPort: number): Promise<BinnacleProcess> {
  const stored = store === undefined ? [] : ["--quarantine-store", store];
  const all = ["--quarantine", "on", "--drain", "0s", "--allow-plaintext-secrets", "on", ...stored];
  if (validation === "serve") return await startBinnacle({ dir, xdsPort, args: all });
  const script = join(import.meta.dirname, "unvalidated-server.ts");
  const anyPort = "127.0.0.1:0";
  const ports = ["--xds", `127.0.0.1:${xdsPort}`, "--http", anyPort, "--metrics", anyPort, "--ctrlz", "off"];
  return await whenReady(new Child(process.execPath, [script, dir, ...ports, ...all]));
}

function linesOf(process: BinnacleProcess): readonly LogLine[] {
  return process.linesLike(/^\{"level"/u).map((line) => JSON.parse(line) as LogLine);
}

/** The log names an object with its place: `VirtualService/shop/host-3 (mesh/a.yaml:1)`. */
function idIn(object = ""): string {
  return object.split(" ")[0] ?? "";
}
