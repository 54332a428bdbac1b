import { capturePush, type PushContext, withEndpoints } from "../pilot/model/push-context.ts";
import type { Environment } from "../pilot/registry/environment.ts";

/** Makes the contexts of successive pushes, each with a higher number than the one before. */
export function captureFrom(environment: Environment) {
  return (previous: PushContext, what: "everything" | "endpoints"): PushContext => {
    const sequence = previous.sequence + 1;
    if (what === "everything") return capturePush(environment.views(), sequence);
    const { endpoints, instances } = environment;
    return withEndpoints(previous, { endpoints: endpoints.snapshot(), instances: instances.snapshot() }, sequence);
  };
}
