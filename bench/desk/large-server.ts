import { setTimeout as pause } from "node:timers/promises";
import { Fleet } from "../../src/fleet/fleet.ts";
import { editedRoute, largeFleet, largeMesh } from "../../test/e2e/desk/support/large-mesh.ts";
import { type BinnacleProcess, startBinnacle } from "../../test/e2e/support/binnacle/server.ts";
import { MeshDir } from "../../test/e2e/support/mesh-dir.ts";

export const proxies = 2_000;

/** A server with 10 000 objects and 2 000 virtual proxies in sync. The proxies run in this process. */
export class LargeServer implements AsyncDisposable {
  readonly server: BinnacleProcess;
  readonly fleet: Fleet;
  readonly #mesh: MeshDir;
  readonly #applied: (() => void)[];
  #weight = 10;

  private constructor(parts: Pick<LargeServer, "server" | "fleet">, mesh: MeshDir, applied: (() => void)[]) {
    this.server = parts.server;
    this.fleet = parts.fleet;
    this.#mesh = mesh;
    this.#applied = applied;
  }

  static async start(): Promise<LargeServer> {
    const mesh = new MeshDir(largeMesh());
    const args = ["--log-level", "warn", "--max-streams-per-second", "1000"];
    const server = await startBinnacle({ dir: mesh.path, args });
    const address = { host: "127.0.0.1", port: server.xdsPort };
    const applied: (() => void)[] = [];
    const onApplied = () => {
      for (const listener of applied) listener();
    };
    const fleet = new Fleet({ address, members: largeFleet(proxies), perSecond: 200, onApplied });
    fleet.start();
    const large = new LargeServer({ server, fleet }, mesh, applied);
    await large.settled();
    return large;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.httpPort}`;
  }

  /** Changes a weight that concerns every sidecar. */
  edit(): void {
    this.#weight = 10 + ((this.#weight - 9) % 80);
    this.#mesh.write("edited-route.yaml", editedRoute(this.#weight));
  }

  /** Called after each response that a proxy has applied. */
  onApplied(listener: () => void): void {
    this.#applied.push(listener);
  }

  /** All proxies are in sync, and nothing has come for a second. */
  async settled(): Promise<void> {
    for (;;) {
      await pause(100);
      const { inSync } = this.fleet.report;
      if (inSync === proxies && performance.now() - this.fleet.lastResponseAt > 1_000) return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fleet.stop();
    await this.server.stop();
    this.#mesh[Symbol.dispose]();
  }
}
