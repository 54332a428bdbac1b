import { GrpcWebSchema } from "#gen/envoy/extensions/filters/http/grpc_web/v3/grpc_web_pb.js";
import type { Filter } from "./filter.ts";

/** Lets browsers speak gRPC through the listener. */
export const grpcWeb: Filter = {
  name: "envoy.filters.http.grpc_web",
  appliesTo: ({ protocol }) => protocol === "GRPC-Web",
  config: (writer) => writer.any(GrpcWebSchema, {}),
};
