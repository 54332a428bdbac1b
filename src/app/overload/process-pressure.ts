import { totalmem } from "node:os";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { isMapping } from "../../lib/is-mapping.ts";
import { type Memory, type Pressure, resources } from "../../lib/overload/pressure.ts";
import { oldGeneration } from "./old-generation.ts";

/** How often the delay of the event loop is sampled. */
const resolutionMs = 20;

/**
 * V8 ends a process whose heap stays 80 % full if collections take most of the time, as on a busy machine. The levels of
 * the heap end above that. Without this rule a process ends when the heap is full.
 */
const noEarlyEnd = "--no-detect-ineffective-gcs-near-heap-limit";

/** The rest of a container's memory holds buffers, young objects and code. */
const heapShare = 0.75;

/** Measures this process. */
export interface PressureMeter {
  /** The limit of the heap for the life of the process. It also fits into the container. */
  readonly heapLimitBytes: number;
  /** Calls after a full garbage collection that leaves the heap nearly full: only then the heap shows how full it is. */
  start(onCollected: () => void): void;
  /** The pressure since the last call. The push queue is not known here. */
  measure(): Omit<Pressure, "queueMs">;
  stop(): void;
}

/**
 * Measures the delay of the event loop and the memory of this process. The heap counts without garbage: it is measured
 * after each full garbage collection. Close to the limit collections are frequent, so that the measure is recent.
 */
export class ProcessPressure implements PressureMeter {
  readonly #delays = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly heapLimitBytes = Math.min(oldGeneration().limitBytes, heapShare * residentMemory().limitBytes);
  #collections: PerformanceObserver | undefined;
  #liveBytes = 0;

  start(onCollected: () => void): void {
    setFlagsFromString(noEarlyEnd);
    this.#delays.enable();
    this.#collections = new PerformanceObserver((list) => {
      if (!list.getEntries().some(isFull)) return;
      this.#liveBytes = oldGeneration().usedBytes;
      // A measurement out of turn ends the current window of delays, so that one long turn could count twice.
      if (isScarce(this.#heap())) onCollected();
    });
    this.#collections.observe({ entryTypes: ["gc"] });
  }

  measure(): Omit<Pressure, "queueMs"> {
    // Without a sample since the last call the mean is not a number.
    const meanMs = this.#delays.count === 0 ? 0 : this.#delays.mean / 1e6;
    this.#delays.reset();
    return { loopDelayMs: Math.max(0, meanMs - resolutionMs), heap: this.#heap(), resident: residentMemory() };
  }

  stop(): void {
    this.#delays.disable();
    this.#collections?.disconnect();
  }

  #heap(): Memory {
    const { usedBytes, limitBytes } = oldGeneration();
    return { usedBytes: Math.min(this.#liveBytes, usedBytes), limitBytes };
  }
}

function isScarce({ usedBytes, limitBytes }: Memory): boolean {
  return usedBytes / limitBytes >= resources.heap.thresholds[0];
}

/** The entry of a garbage collection has its kind in `detail`. */
function isFull(entry: object): boolean {
  const detail: unknown = "detail" in entry ? entry.detail : undefined;
  return isMapping(detail) && detail["kind"] === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Outside of a container, other programs decide how much memory there is. So there is no limit. */
function residentMemory(): Memory {
  const limit = process.constrainedMemory();
  const isLimited = limit > 0 && limit < totalmem();
  return { usedBytes: process.memoryUsage.rss(), limitBytes: isLimited ? limit : Number.POSITIVE_INFINITY };
}
