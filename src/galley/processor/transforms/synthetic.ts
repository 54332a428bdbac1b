import type { Transformer } from "../transformer.ts";

const collection = "istio/networking/v1alpha3/synthetic/serviceentries";

/**
 * The ServiceEntries made from registrations rather than written by users. No kind of registration is read yet, so
 * there are none; the collection exists all the same, because a consumer that subscribes to it is waiting for an
 * answer, and "none" is one.
 */
export const synthetic: Transformer = {
  name: "synthetic",
  inputs: [],
  outputs: [{ collection, group: "syntheticServiceEntry" }],
  // A union of nothing is empty and synced.
  install: (graph) => new Map([[collection, graph.union({ name: collection, parts: [] })]]),
};
