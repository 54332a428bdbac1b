import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Resource } from "../../model/resource.ts";
import type { Port, Service } from "../../model/service/service.ts";
import { addressOf } from "../address.ts";
import { adsSource } from "../ads-source.ts";
import { clusterName } from "../cluster/cluster-name.ts";
import { fault } from "../filters/fault.ts";
import { filterMessage } from "../filters/filter.ts";
import { router } from "../filters/router.ts";
import { makeResource } from "../make-resource.ts";

/** All inputs of a client's listener. */
export interface ApiListenerInputs {
  /** As the client wrote it. */
  readonly name: string;
  readonly service: Service;
  readonly port: Port;
}

/** The API listener of a service: it names the routes of a client's calls, and opens no port. */
export function buildApiListener({ name, service, port }: ApiListenerInputs, writer: ProtoWriter): Resource {
  return buildListener([service, port, writer], { name });
}

const buildListener = memoize(
  ([service, port, writer]: readonly [Service, Port, ProtoWriter], { name }: { readonly name: string }): Resource => {
    const routeName = clusterName(port.number, "", service.hostname);
    const any = writer.any(ListenerSchema, {
      name,
      address: addressOf(service.addresses[0] ?? "0.0.0.0", port.number),
      apiListener: { apiListener: clientManager(routeName, writer) },
    });
    return makeResource({ name, any, owners: [service.owner] });
  },
);

function clientManager(routeConfigName: string, writer: ProtoWriter): Uint8Array {
  return writer.any(HttpConnectionManagerSchema, {
    routeSpecifier: { case: "rds", value: { configSource: adsSource, routeConfigName } },
    // A client rejects the listener for one filter it does not know, so only these are named.
    httpFilters: [fault, router].map((filter) => filterMessage(filter, writer)),
  });
}
