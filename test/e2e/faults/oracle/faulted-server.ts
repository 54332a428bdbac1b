import { setTimeout as pause } from "node:timers/promises";
import type { KeepAliveOptions } from "../../../../src/transport/keep-alive.ts";
import type { Bound } from "../../../../src/testing/eventually.ts";
import { binnacle } from "../../support/binnacle/command.ts";
import { type BinnacleProcess, startBinnacle } from "../../support/binnacle/server.ts";
import { freePort } from "../../support/free-port.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import type { FaultOutcome } from "../fault.ts";
import { constantObjects, generationObjects, yamlOf } from "./generations.ts";
import { type FreshServer, RecordedFleet } from "./recorded-fleet.ts";

interface FaultedServerOptions {
  readonly args?: readonly string[];
  /** The environment of the process. Default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  /** A command that becomes the server, such as `prlimit`. */
  readonly within?: readonly string[];
  /** More files of the mesh. */
  readonly files?: Readonly<Record<string, string>>;
  readonly fresh?: FreshServer;
  /** Pings of the clients. Default: none. */
  readonly pings?: KeepAliveOptions;
  /** Default: the clients call the server itself. The port of a proxy in between is another. */
  readonly clientPort?: (xdsPort: number) => number | Promise<number>;
}

/** A `binnacle serve` process with a directory, whose generations a test writes, and recording clients. */
export class FaultedServer implements AsyncDisposable {
  readonly #xdsPort: number;
  readonly #options: FaultedServerOptions;
  readonly #mesh = new MeshDir({ "constant.yaml": yamlOf(constantObjects()) });
  #process: BinnacleProcess | undefined;
  #fleet: RecordedFleet | undefined;
  #generation = 0;

  private constructor(xdsPort: number, options: FaultedServerOptions) {
    this.#xdsPort = xdsPort;
    this.#options = options;
    for (const [file, yaml] of Object.entries(options.files ?? {})) this.#mesh.write(file, yaml);
  }

  /** Resolves when every client holds the first generation. */
  static async start(options: FaultedServerOptions = {}): Promise<FaultedServer> {
    const { clientPort = (port) => port, pings } = options;
    await using stack = new AsyncDisposableStack();
    const server = stack.use(new FaultedServer(await freePort(), options));
    server.edit();
    await server.restart();
    server.#fleet = new RecordedFleet(await clientPort(server.#xdsPort), pings);
    await server.recovered({ seconds: 30 });
    stack.move();
    return server;
  }

  get process(): BinnacleProcess {
    if (this.#process === undefined) throw new Error("the server was never started");
    return this.#process;
  }

  get fleet(): RecordedFleet {
    if (this.#fleet === undefined) throw new Error("no client was started");
    return this.#fleet;
  }

  /** A finding for each reason why streams ended, for faults that end none. */
  get endedStreams(): readonly string[] {
    return Object.entries(this.fleet.endedStreams).map(([reason, count]) => `${count} streams ended: ${reason}`);
  }

  /** Writes the next generation. */
  edit(): void {
    this.#generation++;
    this.#mesh.write("generation.yaml", yamlOf(generationObjects(this.#generation)));
  }

  /** Writes another file of the mesh. */
  write(file: string, yaml: string): void {
    this.#mesh.write(file, yaml);
  }

  remove(file: string): void {
    this.#mesh.remove(file);
  }

  /** Starts the process, on the same port as before. */
  async restart(): Promise<void> {
    const { args = [], within = [], env } = this.#options;
    const place = { dir: this.#mesh.path, xdsPort: this.#xdsPort };
    this.#process = await startBinnacle({ ...place, args, within, ...(env && { env }) });
  }

  /** Starts another process in place of the ended one, and kills it after this time. */
  async dieAtStart(ms: number): Promise<void> {
    const { args = [], within = [] } = this.#options;
    const ports = ["--xds", `127.0.0.1:${this.#xdsPort}`, "--http", "off", "--metrics", "off", "--ctrlz", "off"];
    const child = binnacle(["serve", this.#mesh.path, ...ports, ...args], { within });
    await pause(ms);
    child.kill("SIGKILL");
    await child.exited;
  }

  /** Ends the process at once, without notice to clients. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.process.exited;
  }

  /** Resolves when every client, or each of these, holds the newest generation, with the seconds that this took. */
  recovered(bound: Bound, clients = this.fleet): Promise<number> {
    return clients.untilHolds(this.#generation, bound);
  }

  /** The outcome after all faults: compares all clients with a fresh server. */
  async outcome(recoverySeconds: number, findings: readonly string[] = []): Promise<FaultOutcome> {
    const lost = await this.fleet.differencesFromFresh(this.#mesh.path, this.#options.fresh);
    return { recoverySeconds, lost: lost.length, findings: [...this.fleet.findings, ...findings, ...lost.slice(0, 5)] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fleet?.[Symbol.dispose]();
    await this.#process?.stop();
    this.#mesh[Symbol.dispose]();
  }
}
