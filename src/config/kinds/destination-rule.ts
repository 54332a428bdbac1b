import { DestinationRuleSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const destinationRule: Kind<typeof DestinationRuleSchema> = {
  ...networking,
  kind: "DestinationRule",
  plural: "destinationrules",
  collection: networkingCollection("destinationrules"),
  schema: DestinationRuleSchema,
  validate: () => [],
};
