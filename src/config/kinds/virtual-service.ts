import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const virtualService: Kind<typeof VirtualServiceSchema> = {
  ...networking,
  kind: "VirtualService",
  plural: "virtualservices",
  collection: networkingCollection("virtualservices"),
  schema: VirtualServiceSchema,
  validate: () => [],
};
