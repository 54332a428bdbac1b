import type { SourceReport } from "../../../../src/admin/galley/sources.ts";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import { type BinnacleProcess, startBinnacle } from "../../support/binnacle/server.ts";
import { get } from "../../support/http.ts";
import { MeshDir } from "../../support/mesh-dir.ts";
import type { FaultOutcome } from "../fault.ts";
import { constantObjects, generationObjects, yamlOf } from "../oracle/generations.ts";
import { RecordedFleet } from "../oracle/recorded-fleet.ts";
import type { Origin } from "./origin.ts";

/** An origin, a server that reads it, and recording clients of the server. */
export class SourceWorld<O extends Origin> implements AsyncDisposable {
  readonly origin: O;
  readonly #resources = new AsyncDisposableStack();
  readonly #mesh = this.#resources.use(new MeshDir());
  #server: BinnacleProcess | undefined;
  #fleet: RecordedFleet | undefined;
  #generation = 0;
  /** The cluster of the last service that joined a registry. */
  #joined: string | undefined;

  private constructor(origin: O) {
    this.origin = this.#resources.use(origin);
  }

  /** Resolves when every client holds the second generation. */
  static async open<O extends Origin>(open: () => Promise<O>): Promise<SourceWorld<O>> {
    const world = new SourceWorld(await open());
    try {
      await world.#open();
      return world;
    } catch (thrown) {
      await world[Symbol.asyncDispose]();
      throw thrown;
    }
  }

  async #open(): Promise<void> {
    if (this.origin.write === undefined) this.#mesh.write("constant.yaml", yamlOf(constantObjects()));
    else await this.origin.write(constantObjects());
    await this.edit();
    this.#server = this.#resources.use(await this.#serve());
    this.#fleet = this.#resources.use(new RecordedFleet(this.#server.xdsPort));
    await this.recovered({ seconds: 30 });
    await this.edit();
    await this.recovered({ seconds: 30 });
    // Nothing is on its way any more, so that responses during a fault are due to the fault.
    const { xdsPort } = this.#server;
    const isSettled = async () => (await this.fleet.differencesFrom(xdsPort)).length === 0;
    await eventually("every client holds the state of a new client", isSettled, { seconds: 30 });
  }

  get fleet(): RecordedFleet {
    if (this.#fleet === undefined) throw new Error("no client was started");
    return this.#fleet;
  }

  /** Writes the next generation into the origin, or beside a registry. */
  async edit(): Promise<void> {
    this.#generation++;
    const objects = (this.origin.objectsOf ?? generationObjects)(this.#generation);
    if (this.origin.write === undefined) this.#mesh.write("generation.yaml", yamlOf(objects));
    else await this.origin.write(objects);
    this.#joined = await this.origin.join?.(this.#generation);
  }

  /** Resolves when pages show this about the source: `STATE: REASON`, or `FILE: ISSUE`. */
  async says(pattern: RegExp, bound: Bound, source = this.origin.source): Promise<void> {
    let seen: readonly string[] = [];
    const said = async () => {
      seen = await this.#sayings(source);
      return seen.some((text) => pattern.test(text));
    };
    await eventually(`pages show ${pattern}`, said, bound).catch((cause: unknown) => {
      throw new Error(`pages never showed ${pattern}, but ${seen.join("; ")}`, { cause });
    });
  }

  /** Resolves when every client holds the newest generation and the source is in sync, with the seconds of this. */
  async recovered(bound: Bound): Promise<number> {
    const start = performance.now();
    await this.fleet.untilHolds(this.#generation, bound);
    const joined = () => this.#joined === undefined || this.fleet.hasCluster(this.#joined);
    await eventually("every client holds the service that joined", joined, bound);
    for (const source of [this.origin.source, this.origin.beside]) {
      if (source !== undefined) await this.says(/^synced/u, bound, source);
    }
    return (performance.now() - start) / 1000;
  }

  /** Compares all clients with those of a fresh server that reads the same origin. */
  async outcome(recoverySeconds: number, findings: readonly string[]): Promise<FaultOutcome> {
    await using fresh = await this.#serve();
    const lost = await this.fleet.differencesFrom(fresh.xdsPort);
    const ended = Object.entries(this.fleet.endedStreams).map(([reason, count]) => `${count} streams ended: ${reason}`);
    const all = [...this.fleet.findings, ...findings, ...ended, ...lost.slice(0, 5)];
    return { recoverySeconds, lost: lost.length, findings: all };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }

  #serve(): Promise<BinnacleProcess> {
    const { source, args } = this.origin;
    return startBinnacle({ dir: this.#mesh.path, args: ["--source", source, ...args, "--log-level", "warn"] });
  }

  async #sayings(source: string): Promise<readonly string[]> {
    const { body } = await get(this.#server?.httpPort ?? 0, "/debug/sources");
    const reports = JSON.parse(body) as readonly SourceReport[];
    const report = reports.find(({ name }) => name === source);
    if (report === undefined) throw new Error(`no source ${source} in ${body}`);
    const issues = report.issues.map(({ message, place }) => `${place?.file ?? ""}: ${message}`);
    return [`${report.state}: ${report.reason ?? ""}`, ...issues];
  }
}
