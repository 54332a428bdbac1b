import { fromBinary } from "@bufbuild/protobuf";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { resourceTypeOf } from "../../fleet/fleet-resource-type.ts";
import { readResourceFacts } from "../../fleet/resource-facts.ts";
import { assert } from "../../lib/assert.ts";
import type { ReadResource } from "./model-stream.ts";

/** Reads the resources of our generators, for the model of Envoy. */
export const readEnvoyResource: ReadResource = (typeUrl, value) => {
  const type = resourceTypeOf(typeUrl);
  assert(type !== undefined, `${typeUrl} is a type that the model asks for`);
  const { name, endpoints, routes, clusters } = readResourceFacts(type, value);
  const empty = type === "EDS" && fromBinary(ClusterLoadAssignmentSchema, value).endpoints.length === 0;
  const text = Buffer.from(value).toString("base64");
  return { name, content: { awaitsEndpoints: endpoints !== undefined, routes, clusters, empty, text } };
};
