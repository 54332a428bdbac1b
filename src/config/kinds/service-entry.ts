import { ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const serviceEntry: Kind<typeof ServiceEntrySchema> = {
  ...networking,
  kind: "ServiceEntry",
  plural: "serviceentries",
  collection: networkingCollection("serviceentries"),
  schema: ServiceEntrySchema,
  validate: () => [],
};
