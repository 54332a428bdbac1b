import type { Headers, Destination as IstioDestination } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fullHostname } from "../../../config/grammar/hostname.ts";
import type { Backend, Destination } from "../../model/traffic/virtual-service.ts";
import { headerOperationsOf } from "./http/header-operations.ts";
import type { RouteSource } from "./route-source.ts";

type Names = Pick<RouteSource, "namespace" | "domain">;

interface WeightedDestination {
  readonly destination?: IstioDestination | undefined;
  readonly weight: number;
  readonly headers?: Headers | undefined;
}

export function destinationOf(route: WeightedDestination, source: Names): Destination {
  const { destination, weight, headers } = route;
  return { ...backendOf(destination, source), weight, headers: headerOperationsOf(headers) };
}

/** A destination with its full hostname. */
export function backendOf(destination: IstioDestination | undefined, { namespace, domain }: Names): Backend {
  return {
    hostname: fullHostname(destination?.host ?? "", namespace, domain),
    subset: destination?.subset ?? "",
    port: destination?.port?.number,
  };
}
