import type { Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";

/**
 * The base of the first push of a collection on a stream. With `nothing`, the push is full state, however it is marked.
 * With `held`, the push is a delta from the state that the sink holds. With `unknown`, both are possible.
 *
 * Istio's sources ignore the versions that a sink announces. Those that send deltas send the first one from nothing.
 * Resources deleted while the sink was away would stay forever (SRC-15). So a delta needs proof. A Binnacle source marks
 * the push as resumed. A source that removes a resource knows the held state. A source that repeats a resource in an
 * announced version does not know it.
 */
export function baseOf(
  { incremental, resumed, removedResources, resources }: Resources,
  announced: ReadonlyMap<string, string> | undefined,
): "nothing" | "held" | "unknown" {
  if (!incremental || announced === undefined) return "nothing";
  if (resumed || removedResources.length > 0) return "held";
  const repeats = resources.some(
    ({ metadata }) =>
      metadata !== undefined && metadata.version !== "" && announced.get(metadata.name) === metadata.version,
  );
  return repeats ? "nothing" : "unknown";
}
