import { Session } from "node:inspector/promises";
import type { Clock } from "../../lib/time/clock.ts";

/** One sample per so many allocated bytes, as Go does it. */
const sampledBytes = 512 * 1024;

/**
 * Takes profiles of this process through the inspector's own protocol, without ever opening its port. What it costs is
 * bounded: both profiles are made of samples, so they grow with the code that runs and not with the heap. (A heap
 * snapshot would stop the process for as long as it takes to walk all of it.)
 */
export class Profiler {
  readonly #clock: Clock;
  readonly #session = new Session();
  #cpuProfile: { readonly end: () => void; readonly taken: Promise<object> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From here on allocations are sampled. */
  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("HeapProfiler.enable");
    await this.#session.post("HeapProfiler.startSampling", { samplingInterval: sampledBytes });
  }

  /** Ends the profile that is being taken, early; whoever waits for it gets what there is. */
  async stop(): Promise<void> {
    this.#cpuProfile?.end();
    await Promise.allSettled([this.#cpuProfile?.taken]);
    this.#session.disconnect();
  }

  /**
   * Where time goes in the next so many milliseconds, as a `.cpuprofile`. There is one at a time: undefined while
   * another one is being taken.
   */
  async cpu(durationMs: number): Promise<object | undefined> {
    if (this.#cpuProfile !== undefined) return undefined;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const taken = this.#record(durationMs, over, end);
    this.#cpuProfile = { end, taken };
    try {
      return await taken;
    } finally {
      this.#cpuProfile = undefined;
    }
  }

  /** Who allocated what is alive now, of all that was allocated since the start, as a `.heapprofile`. */
  async heap(): Promise<object> {
    const { profile } = await this.#session.post("HeapProfiler.getSamplingProfile");
    return profile;
  }

  async #record(durationMs: number, over: Promise<void>, end: () => void): Promise<object> {
    await this.#session.post("Profiler.start");
    const cancel = this.#clock.after(durationMs, end);
    await over;
    cancel();
    const { profile } = await this.#session.post("Profiler.stop");
    return profile;
  }
}
