import { create, type JsonObject } from "@bufbuild/protobuf";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { proxyOf } from "../../pilot/xds/node.ts";

/** The proxy that a server takes a node for. */
export function proxyWithName(id: string, metadata: JsonObject = {}): Proxy {
  return proxyOf(create(NodeSchema, { id, metadata }));
}
