import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { Resource } from "../../model/resource.ts";
import { addressOf } from "../address.ts";
import { grpcAuthorization } from "../authorization/grpc-authorization.ts";
import { type FilterMessage, filterMessage } from "../filters/filter.ts";
import { router } from "../filters/router.ts";
import { makeResource } from "../make-resource.ts";
import { grpcServerSocket } from "./grpc-sockets.ts";

/** All inputs of a server's listener. */
export interface ServerListenerInputs {
  readonly name: string;
  /** Where the server listens; it compares them with its own. */
  readonly address: string;
  readonly port: number;
  /** Accepts only mesh mTLS; else only plain text. Servers cannot distinguish both on one port. */
  readonly mutual: boolean;
  readonly policies: TrafficPolicies;
  readonly mesh: MeshSettings;
  /** Of the services that are served there. */
  readonly owners: readonly ConfigId[];
}

/** A listener that lets a gRPC server accept calls and passes them to the application. */
export function buildServerListener(inputs: ServerListenerInputs, writer: ProtoWriter): Resource {
  const { name, address, port, mutual, policies, mesh, owners } = inputs;
  const kind = mutual ? "mtls" : "plaintext";
  const any = writer.any(ListenerSchema, {
    name,
    address: addressOf(address, port),
    filterChains: [
      {
        name: `inbound-${kind}`,
        filters: [
          {
            name: `inbound-hcm${kind}`,
            configType: {
              case: "typedConfig",
              value: serverManager(grpcAuthorization(policies, mesh, writer), writer),
            },
          },
        ],
        transportSocket: mutual ? grpcServerSocket(writer) : undefined,
      },
    ],
    trafficDirection: TrafficDirection.INBOUND,
  });
  return makeResource({ name, any, owners });
}

function serverManager(filters: readonly FilterMessage[], writer: ProtoWriter): Uint8Array {
  const everything = {
    match: { pathSpecifier: { case: "prefix", value: "/" } },
    action: { case: "nonForwardingAction", value: {} },
  } as const;
  return writer.any(HttpConnectionManagerSchema, {
    routeSpecifier: {
      case: "routeConfig",
      value: { name: "inbound", virtualHosts: [{ name: "inbound", domains: ["*"], routes: [everything] }] },
    },
    httpFilters: [...filters, filterMessage(router, writer)],
  });
}
