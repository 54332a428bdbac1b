import { SidecarSchema } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import type { Kind } from "../kind.ts";
import { networking, networkingCollection } from "./networking.ts";

export const sidecar: Kind<typeof SidecarSchema> = {
  ...networking,
  kind: "Sidecar",
  plural: "sidecars",
  collection: networkingCollection("sidecars"),
  schema: SidecarSchema,
  validate: () => [],
};
