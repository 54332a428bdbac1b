import { GatewaySchema } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const gateway: Kind<typeof GatewaySchema> = {
  ...networking,
  kind: "Gateway",
  plural: "gateways",
  collection: networkingCollection("gateways"),
  schema: GatewaySchema,
  validate: () => [],
};
