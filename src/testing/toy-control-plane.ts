import type { PushContext } from "../pilot/model/push-context.ts";
import { DiscoveryServer } from "../pilot/xds/discovery-server.ts";
import type { SentResponse, XdsObserver } from "../pilot/xds/observer.ts";
import { type WarmingRules, warmingRules } from "../pilot/xds/warming.ts";
import { FakeClock } from "./fake-clock.ts";
import type { ToyEnvoy } from "./toy-envoy.ts";
import { everythingChanged, type ToyMesh, toyContext, toyGenerators } from "./toy-mesh.ts";

const ackTimeoutMs = 15_000;

export const emptyMesh: ToyMesh = { clusters: new Map(), endpoints: new Map(), routes: new Map() };

/** Counts and keeps what the server says of itself. */
export class RecordingObserver implements XdsObserver {
  readonly sent: SentResponse[] = [];
  readonly rejections: string[] = [];
  readonly failures: Error[] = [];
  readonly refusals: string[] = [];
  stale = 0;
  delays = 0;
  overdue = 0;
  convergences = 0;
  open = 0;

  connected(): void {
    this.open++;
  }
  disconnected(): void {
    this.open--;
  }
  refused(reason: string): void {
    this.refusals.push(reason);
  }
  responseSent(response: SentResponse): void {
    this.sent.push(response);
  }
  rejected(type: string, _node: string, reason: string): void {
    this.rejections.push(`${type}: ${reason}`);
  }
  staleNonce(): void {
    this.stale++;
  }
  delayed(): void {
    this.delays++;
  }
  ackOverdue(): void {
    this.overdue++;
  }
  pushStarted(): void {}
  pushFailed(cause: Error): void {
    this.failures.push(cause);
  }
  generatorFailed({ cause }: { cause: Error }): void {
    this.failures.push(cause);
  }
  converged(): void {
    this.convergences++;
  }
}

/** A real discovery server on a toy mesh, with time and turns in the test's hands. */
export class ToyControlPlane {
  readonly clock = new FakeClock();
  readonly observer = new RecordingObserver();
  readonly server: DiscoveryServer;
  readonly encoded: () => number;
  #mesh: ToyMesh;
  #sequence = 0;

  constructor(mesh: ToyMesh = emptyMesh, rules: Partial<WarmingRules> = {}) {
    const { generators, encoded } = toyGenerators();
    this.encoded = encoded;
    this.#mesh = mesh;
    this.server = new DiscoveryServer({
      clock: this.clock,
      turn: () => Promise.resolve(),
      generators,
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

  connect(envoy: ToyEnvoy): void {
    envoy.connect((stream) =>
      envoy.mode === "sotw"
        ? this.server.streamAggregatedResources(stream)
        : this.server.deltaAggregatedResources(stream),
    );
  }

  /** Lets the debounce window pass and every push leave. */
  async pushed(): Promise<void> {
    this.clock.advance(100);
    await this.server.idle();
  }

  /** Until nobody has anything to read any more. Bounded: a protocol that never rests is a failure. */
  async settle(...envoys: readonly ToyEnvoy[]): Promise<void> {
    for (let round = 0; round < 500; round++) {
      await this.pushed();
      if (!envoys.map((envoy) => envoy.step()).some(Boolean)) return;
    }
    throw new Error("the stream does not come to rest");
  }

  /** As `settle`, and past the time-out that frees a client which rejected the endpoints it was warming with. */
  async settleForGood(...envoys: readonly ToyEnvoy[]): Promise<void> {
    await this.settle(...envoys);
    this.clock.advance(ackTimeoutMs);
    await this.settle(...envoys);
  }

  #capture(): PushContext {
    return toyContext(++this.#sequence, this.#mesh);
  }
}
