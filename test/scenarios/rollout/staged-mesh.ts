import type { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import type { ScenarioOptions } from "../../../src/testing/mesh/scenario-mesh.ts";
import { clusterType } from "../../../src/xds/type-urls.ts";
import { gateway, has, PoisonedMesh } from "../quarantine/poisoned-mesh.ts";

/** A server with gateways of one class, and with the time of their waves under control. */
export class StagedMesh {
  readonly setting: PoisonedMesh;
  readonly envoys: EnvoyModel[] = [];
  readonly #mode: "sotw" | "delta";

  private constructor(setting: PoisonedMesh, mode: "sotw" | "delta") {
    this.setting = setting;
    this.#mode = mode;
  }

  static async start(
    mode: "sotw" | "delta",
    proxies: number,
    objects: readonly string[],
    options: Pick<ScenarioOptions, "askGate"> = {},
  ): Promise<StagedMesh> {
    const mesh = new StagedMesh(await PoisonedMesh.startWith(options, objects), mode);
    for (let number = 0; number < proxies; number++) mesh.connect();
    await mesh.setting.settle();
    return mesh;
  }

  /** A further gateway. */
  connect(): EnvoyModel {
    const envoy = this.setting.connect(this.#mode, gateway(this.envoys.length));
    this.envoys.push(envoy);
    return envoy;
  }

  get rollouts() {
    const { rollouts } = this.setting.mesh.discovery;
    if (rollouts === undefined) throw new Error("this server stages no changes");
    return rollouts;
  }

  /** The events of rollouts: `shop/change wave 1 1`. */
  get events(): readonly string[] {
    return this.setting.mesh.observer.rollouts;
  }

  /** Lets at least so many seconds pass, with everything that happens in them. */
  async pass(seconds: number): Promise<void> {
    const { clock } = this.setting.mesh;
    const until = clock.now() + seconds * 1_000;
    while (clock.now() < until) {
      clock.advance(1_000);
      await this.setting.settle();
    }
  }

  /** How many proxies have a resource with this text. */
  having(text: string): number {
    return this.envoys.filter((envoy) => has(envoy, text)).length;
  }

  /** Whether the server serves the proxy the staged change. */
  isReached(envoy: EnvoyModel): boolean {
    const number = this.envoys.indexOf(envoy);
    const { nodeId } = gateway(number);
    const all = this.rollouts.rollouts.flatMap((rollout) => this.rollouts.reachedBy(rollout));
    return all.some(({ client }) => client.nodeId === nodeId);
  }
}

/** The clusters that routes of the proxy refer to, and that it does not have. */
export function danglingOf(envoy: EnvoyModel): readonly string[] {
  const clusters = new Set(envoy.names(clusterType));
  return [...envoy.unserved].filter((name) => !clusters.has(name));
}
