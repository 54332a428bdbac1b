import { availableParallelism } from "node:os";
import type { PipelineLimits } from "../../pilot/xds/discovery-server.ts";
import type { FlowOptions } from "./flow-options.ts";

type Given = Pick<FlowOptions, "pushThrottle" | Exclude<keyof PipelineLimits, "maxInFlight">>;

/** As many pushes at a time as the settings say, else as many as the processors bear. */
export function limitsFrom(
  { pushThrottle, streamsPerSecond, debounceEndpoints, maxNodeBytes, maxStreamsPerPeer }: Given,
  processors = availableParallelism(),
): PipelineLimits {
  const maxInFlight = pushThrottle === 0 ? Math.min(15 + 5 * processors, 100) : pushThrottle;
  return { maxInFlight, streamsPerSecond, debounceEndpoints, maxNodeBytes, maxStreamsPerPeer };
}
