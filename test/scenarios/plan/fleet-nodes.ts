import type { ModelNode } from "../../../src/testing/envoy/envoy-model.ts";
import { usualNodes } from "../fresh-server/nodes.ts";

/** Envoys of each kind, in both protocols. The last ones take virtual hosts as resources. */
export const fleetNodes: readonly (ModelNode & { readonly mode: "sotw" | "delta" })[] = usualNodes
  .filter(({ metadata }) => metadata["GENERATOR"] === undefined)
  .map(({ id: nodeId, metadata }) => ({ nodeId, metadata, asksForAll: true }))
  .flatMap((node, index) => [
    { ...node, mode: "sotw" as const },
    { ...node, mode: "delta" as const },
    ...(index < 3 ? [{ ...node, mode: "delta" as const, minor: 40 }] : []),
  ]);
