import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Cancel } from "../../lib/time/clock.ts";
import type { StartedPush, XdsObserver } from "../../pilot/xds/observer.ts";
import { ByteAllowance } from "./byte-allowance.ts";
import { type ConnectedProxies, FleetSampler } from "./fleet-sampler.ts";
import type { HistoryRecorder } from "./history-recorder.ts";
import { PushPositions } from "./push-positions.ts";

export interface FleetNotesOptions {
  readonly clock: SupervisedClock;
  /** Milliseconds since 1970. */
  readonly timeOfDay: () => number;
  readonly recorder: Pick<HistoryRecorder, "sampled" | "proxyBytes">;
}

/** Looks at the proxies so often. A look costs a few microseconds per proxy, so a large fleet is seen less often. */
const sampleMs = (proxies: number) => Math.max(1_000, proxies / 2);

/**
 * At most 43 MiB a day, and 8 MiB at once. Beyond that, the proxies are looked at later: the log then misses states that
 * lasted for a short time, and never says anything wrong.
 */
const allowance = { bytesPerSecond: 512, most: 8 * 1024 * 1024 };

/** Notes for the history which proxies are connected, and which are behind. */
export class FleetNotes {
  readonly positions = new PushPositions();
  readonly #options: FleetNotesOptions;
  readonly #allowance: ByteAllowance;
  #discovery: ConnectedProxies | undefined;
  #sampler: FleetSampler | undefined;
  #written = 0;
  #cancel: Cancel = () => undefined;

  constructor(options: FleetNotesOptions) {
    this.#options = options;
    this.#allowance = new ByteAllowance({ ...allowance, now: () => options.clock.now() });
  }

  attach(discovery: ConnectedProxies): void {
    this.#discovery = discovery;
    this.#sampler = new FleetSampler(discovery, this.positions);
  }

  start(): void {
    const proxies = this.#discovery?.connections.size ?? 0;
    this.#cancel = this.#options.clock.after(sampleMs(proxies), () => {
      this.start();
      this.sample();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** The next sample has all proxies. */
  reset(): void {
    this.#sampler?.reset();
  }

  sample(): void {
    const { recorder, timeOfDay } = this.#options;
    this.#allowance.spend(recorder.proxyBytes - this.#written);
    this.#written = recorder.proxyBytes;
    const sample = this.#allowance.isLeft ? this.#sampler?.sample(timeOfDay()) : undefined;
    if (sample !== undefined) recorder.sampled(sample);
  }

  /** A context was published. */
  pushStarted(push: StartedPush): void {
    this.positions.pushStarted(push);
  }
}

/** Calls both observers. */
export function withNotes(observer: XdsObserver, notes: Pick<FleetNotes, "pushStarted">): XdsObserver {
  return {
    ...observer,
    pushStarted(push) {
      observer.pushStarted(push);
      notes.pushStarted(push);
    },
  };
}
