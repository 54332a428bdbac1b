import { TrafficDirection } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { MergedPort } from "../../model/merged-gateway.ts";
import { httpRouteName } from "../../model/merged-gateway.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";
import { gatewayConnectionManager } from "./http-connection-manager.ts";
import type { TracingIdentity } from "./tracing.ts";

/** All that a gateway's listener depends on. */
export interface GatewayListenerInputs {
  readonly port: MergedPort;
  /** The address that stands for all of the proxy's addresses. */
  readonly wildcard: "0.0.0.0" | "::";
  readonly identity: TracingIdentity;
  readonly mesh: MeshSettings;
}

const built = new Memo<Resource | undefined>();

/** Undefined for ports that carry no plain HTTP: those with TLS and TCP are not served yet. */
export function buildGatewayListener(inputs: GatewayListenerInputs, writer: ProtoWriter): Resource | undefined {
  const { port, wildcard, identity, mesh } = inputs;
  const id = JSON.stringify([wildcard, identity]);
  return built.get([port, mesh, writer], id, () => encodeListener(inputs, writer));
}

function encodeListener({ port, wildcard, identity, mesh }: GatewayListenerInputs, writer: ProtoWriter) {
  const routeName = httpRouteName(port);
  if (routeName === undefined) return undefined;
  const address = port.bind === "" ? wildcard : port.bind;
  const name = `${address}_${port.port}`;
  const { protocol } = port.servers[0].server;
  const manager = gatewayConnectionManager({ listenerName: name, routeName, protocol, identity, mesh }, writer);
  const portSpecifier = { case: "portValue", value: port.port } as const;
  const any = writer.any(ListenerSchema, {
    name,
    address: { address: { case: "socketAddress", value: { address, portSpecifier } } },
    filterChains: [
      {
        filters: [
          {
            name: "envoy.filters.network.http_connection_manager",
            configType: { case: "typedConfig", value: manager },
          },
        ],
        transportSocketConnectTimeout: { seconds: 15n, nanos: 0 },
      },
    ],
    trafficDirection: TrafficDirection.OUTBOUND,
    maxConnectionsToAcceptPerSocketEvent: 1,
  });
  return makeResource({ name, any, owners: port.servers.map(({ gateway }) => gateway.owner) });
}
