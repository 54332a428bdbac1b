import { Session } from "node:inspector/promises";
import type { SupervisedClock } from "../../lib/supervisor.ts";

/** One sample per so many allocated bytes, as Go does it. */
const sampledBytes = 512 * 1024;

/**
 * Takes profiles of this process through the inspector protocol, without opening its port. The cost is bounded. Both
 * profiles use samples, so they grow with the running code and not with the heap. A heap snapshot would stop the
 * process while it walks the whole heap.
 */
export class Profiler {
  readonly #clock: SupervisedClock;
  readonly #session = new Session();
  #cpuProfile: { readonly end: () => void; readonly taken: Promise<object> } | undefined;

  constructor(clock: SupervisedClock) {
    this.#clock = clock;
  }

  /** Starts the sampling of allocations. */
  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("HeapProfiler.enable");
    await this.#session.post("HeapProfiler.startSampling", { samplingInterval: sampledBytes });
  }

  /** Ends a running profile early. Its caller gets the samples so far. */
  async stop(): Promise<void> {
    this.#cpuProfile?.end();
    await Promise.allSettled([this.#cpuProfile?.taken]);
    this.#session.disconnect();
  }

  /** A CPU profile of this duration, as a `.cpuprofile`. Only one runs at a time: undefined while another one runs. */
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

  /** Live allocations since the start by call site, as a `.heapprofile`. */
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
