import type { Headers, Destination as IstioDestination } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fullHostname } from "../../config/hostname.ts";
import type { Destination } from "../model/virtual-service.ts";
import { headerOperationsOf } from "./header-operations.ts";

interface WeightedDestination {
  readonly destination?: IstioDestination | undefined;
  readonly weight: number;
  readonly headers?: Headers | undefined;
}

/** A place traffic is sent to, with the host written in full. */
export function destinationOf(route: WeightedDestination, namespace: string, domain: string): Destination {
  const { destination, weight, headers } = route;
  return {
    hostname: fullHostname(destination?.host ?? "", namespace, domain),
    subset: destination?.subset ?? "",
    port: destination?.port?.number,
    weight,
    headers: headerOperationsOf(headers),
  };
}
