import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import { router } from "../filters/router.ts";
import { makeResource } from "../make-resource.ts";
import { grpcFilters } from "./grpc-filters.ts";

/** All that a server's listener depends on. */
export interface ServerListenerInputs {
  readonly name: string;
  /** Where the server listens; it compares them with its own. */
  readonly address: string;
  readonly port: number;
  /** Of the services that are served there. */
  readonly owners: readonly ConfigId[];
}

/** What lets a gRPC server accept calls, in plain text, and leaves them to the application. */
export function buildServerListener(inputs: ServerListenerInputs, writer: ProtoWriter): Resource {
  const { name, address, port, owners } = inputs;
  const portSpecifier = { case: "portValue", value: port } as const;
  const any = writer.any(ListenerSchema, {
    name,
    address: { address: { case: "socketAddress", value: { address, portSpecifier } } },
    filterChains: [
      {
        name: "inbound-plaintext",
        filters: [{ name: "inbound-hcmplaintext", configType: { case: "typedConfig", value: serverManager(writer) } }],
      },
    ],
    trafficDirection: TrafficDirection.INBOUND,
  });
  return makeResource({ name, any, owners });
}

function serverManager(writer: ProtoWriter): Uint8Array {
  const everything = {
    match: { pathSpecifier: { case: "prefix", value: "/" } },
    action: { case: "nonForwardingAction", value: {} },
  } as const;
  return writer.any(HttpConnectionManagerSchema, {
    routeSpecifier: {
      case: "routeConfig",
      value: { name: "inbound", virtualHosts: [{ name: "inbound", domains: ["*"], routes: [everything] }] },
    },
    httpFilters: grpcFilters([router], writer),
  });
}
