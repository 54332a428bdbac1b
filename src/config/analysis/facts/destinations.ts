import { create } from "@bufbuild/protobuf";
import {
  type Destination,
  DestinationSchema,
  type VirtualService,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";

/** A destination of a rule, and the path of its field. */
export interface PlacedDestination {
  readonly destination: Destination;
  readonly path: string;
}

/** The destinations of requests and connections, for all protocols. */
export function routeDestinations({ http, tcp, tls }: VirtualService): readonly PlacedDestination[] {
  return [
    ...http.flatMap(({ route }, index) => ofRoute(route, `spec.http[${index}]`)),
    ...tcp.flatMap(({ route }, index) => ofRoute(route, `spec.tcp[${index}]`)),
    ...tls.flatMap(({ route }, index) => ofRoute(route, `spec.tls[${index}]`)),
  ];
}

/** The destinations of mirrored requests. */
export function mirrorDestinations({ http }: VirtualService): readonly PlacedDestination[] {
  return http.flatMap(({ mirror, mirrors }, index) => [
    ...placed(mirror, `spec.http[${index}].mirror`),
    ...mirrors.flatMap((each, at) => placed(each.destination, `spec.http[${index}].mirrors[${at}].destination`)),
  ]);
}

interface Routed {
  readonly destination?: Destination | undefined;
}

/** A missing destination counts as one without a host, which no service has. */
function ofRoute(route: readonly Routed[], path: string): readonly PlacedDestination[] {
  return route.map(({ destination = create(DestinationSchema) }, index) => {
    return { destination, path: `${path}.route[${index}].destination` };
  });
}

function placed(destination: Destination | undefined, path: string): readonly PlacedDestination[] {
  return destination === undefined ? [] : [{ destination, path }];
}
