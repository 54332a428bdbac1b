import { availableParallelism } from "node:os";
import type { PipelineLimits } from "../../pilot/xds/discovery-server.ts";
import type { FlowOptions } from "./flow-options.ts";

type Given = Pick<FlowOptions, "pushThrottle" | "streamsPerSecond" | "debounceEndpoints">;

/** As many pushes at a time as the settings say, else as many as the processors bear. */
export function limitsFrom(
  { pushThrottle, streamsPerSecond, debounceEndpoints }: Given,
  processors = availableParallelism(),
): PipelineLimits {
  const maxInFlight = pushThrottle === 0 ? Math.min(15 + 5 * processors, 100) : pushThrottle;
  return { maxInFlight, streamsPerSecond, debounceEndpoints };
}
