import { EnvoyModel, type ModelNode } from "../../../src/testing/envoy/envoy-model.ts";
import { pageOf, started, wiredServer } from "../../../src/testing/server/wired-server.ts";
import { turns } from "../../../src/testing/until.ts";
import type { CommandRun } from "../../../src/testing/recording/run-command.ts";
import { runCommand } from "../../../src/testing/recording/run-command.ts";
import { readPoisoned } from "./poisoned-mesh.ts";

/** A whole server with pages, metrics and a fake clock, and proxies that refuse poisoned resources. */
export class WiredMesh {
  readonly server: ReturnType<typeof wiredServer>;
  readonly #envoys: EnvoyModel[] = [];

  private constructor(server: ReturnType<typeof wiredServer>) {
    this.server = server;
  }

  static async start(objects: readonly string[], options: Parameters<typeof wiredServer>[0] = {}): Promise<WiredMesh> {
    const server = wiredServer({ quarantine: true, ...options });
    server.source.apply(objects.join("\n---\n"));
    return new WiredMesh(await started(server));
  }

  connect(node: ModelNode): EnvoyModel {
    const envoy = new EnvoyModel("delta", readPoisoned, node);
    envoy.connect(this.server.discovery);
    this.#envoys.push(envoy);
    return envoy;
  }

  async apply(...objects: readonly string[]): Promise<void> {
    this.server.source.apply(objects.join("\n---\n"));
    await this.settle();
  }

  /** Until no stream has sent anything for some turns. */
  async settle(): Promise<void> {
    let quiet = 0;
    for (let round = 0; round < 5_000 && quiet < 30; round++) {
      this.server.clock.advance(50);
      await turns(1);
      quiet = this.#envoys.map((envoy) => envoy.step()).some(Boolean) ? 0 : quiet + 1;
    }
    if (quiet === 0) throw new Error("the streams do not come to rest");
  }

  /** The JSON of a debug page. */
  async page<T>(path: string): Promise<T> {
    return JSON.parse((await pageOf(this.server, path)).body) as T;
  }

  command(...args: readonly string[]): Promise<CommandRun> {
    return runCommand([...args, "--server", this.server.listeners.addresses.http]);
  }

  logged(message: string): readonly { readonly level: string; readonly fields: object }[] {
    return this.server.logger.lines.filter((line) => line.message === message);
  }
}
