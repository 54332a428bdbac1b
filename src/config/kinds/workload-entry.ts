import { WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const workloadEntry: Kind<typeof WorkloadEntrySchema> = {
  ...networking,
  kind: "WorkloadEntry",
  plural: "workloadentries",
  collection: networkingCollection("workloadentries"),
  schema: WorkloadEntrySchema,
  validate: () => [],
};
