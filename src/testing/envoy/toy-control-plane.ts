import type { PushContext } from "../../pilot/model/push-context.ts";
import { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { type WarmingRules, warmingRules } from "../../xds/stream/warming.ts";
import { FakeClock } from "../fake-clock.ts";
import { RecordingObserver } from "../recording/recording-observer.ts";
import { EnvoyModel, gatewayIn, settleAll } from "./envoy-model.ts";
import { everythingChanged, readToy, type ToyMesh, toyContext, toyGenerators } from "./toy-mesh.ts";

const ackTimeoutMs = 15_000;

export const emptyMesh: ToyMesh = { clusters: new Map(), endpoints: new Map(), routes: new Map() };

/** A client of the toy mesh. */
export function toyEnvoy(mode: "sotw" | "delta", namespace = "toy"): EnvoyModel {
  return new EnvoyModel(mode, readToy, gatewayIn(namespace));
}

/** A real discovery server on a toy mesh, with time and turns in the test's hands. */
export class ToyControlPlane {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly server: DiscoveryServer;
  #mesh: ToyMesh;
  #sequence = 0;

  constructor(mesh: ToyMesh = emptyMesh, rules: Partial<WarmingRules> = {}) {
    this.#mesh = mesh;
    this.server = new DiscoveryServer({
      clock: this.clock,
      turn: () => Promise.resolve(),
      generators: toyGenerators(),
      push: this.#capture(),
      capture: () => this.#capture(),
      observer: this.observer,
      debounce: { quietMs: 10, maxWaitMs: 100 },
      ackTimeoutMs,
      warmingRules: { ...warmingRules, ...rules },
    });
    this.server.markReady();
  }

  get mesh(): ToyMesh {
    return this.#mesh;
  }

  edit(change: Partial<ToyMesh>): void {
    this.#mesh = { ...this.#mesh, ...change };
    this.server.configUpdate(everythingChanged(this.clock.now()));
  }

  connect(envoy: EnvoyModel): void {
    envoy.connect(this.server);
  }

  /** Lets the debounce window pass and every push leave. */
  async pushed(): Promise<void> {
    this.clock.advance(100);
    await this.server.idle();
  }

  settle(...envoys: readonly EnvoyModel[]): Promise<void> {
    return settleAll(envoys, () => this.pushed());
  }

  /** As `settle`, and past the time-out that frees a client which rejected the endpoints it was warming with. */
  async settleForGood(...envoys: readonly EnvoyModel[]): Promise<void> {
    await this.settle(...envoys);
    this.clock.advance(ackTimeoutMs);
    await this.settle(...envoys);
  }

  #capture(): PushContext {
    return toyContext(++this.#sequence, this.#mesh);
  }
}
