import type { Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";

/**
 * The base of the first push of a collection on a stream. `nothing`: it is the whole state, however it is marked.
 * `held`: it is a difference from what the sink holds. `unknown`: either is possible.
 *
 * No source of Istio's reads the versions that a sink comes with, and those that send differences send the first one
 * from nothing: resources that were deleted while the sink was away would stay for ever (SRC-15). So a difference must
 * be proved to be one. A source of ours says so. A source that takes a resource away knows what the sink had. One that
 * repeats a resource of the very version that it was told of does not.
 */
export function baseOf(
  { incremental, resumed, removedResources, resources }: Resources,
  announced: ReadonlyMap<string, string> | undefined,
): "nothing" | "held" | "unknown" {
  if (!incremental || announced === undefined) return "nothing";
  if (resumed || removedResources.length > 0) return "held";
  const repeats = resources.some(({ metadata }) => {
    const version = metadata?.version ?? "";
    return version !== "" && announced.get(metadata?.name ?? "") === version;
  });
  return repeats ? "nothing" : "unknown";
}
