import { availableParallelism } from "node:os";
import type { PipelineLimits } from "../../pilot/xds/discovery-server.ts";
import type { FlowOptions } from "./flow-options.ts";

type Given = Pick<FlowOptions, "pushThrottle" | "streamsPerSecond" | "debounceEndpoints">;

export function limitsFrom(
  { pushThrottle, streamsPerSecond, debounceEndpoints }: Given,
  processors = availableParallelism(),
): PipelineLimits {
  const maxInFlight = pushThrottle === 0 ? Math.min(15 + 5 * processors, 100) : pushThrottle;
  return { maxInFlight, streamsPerSecond, debounceEndpoints };
}
