import type { Destination } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isDnsLabel } from "../grammar/names.ts";
import { notNegative } from "./amount.ts";
import { hostname } from "./host.ts";
import { portNumber } from "./port.ts";

/** A host of the registry, with an optional subset and port. */
export function destination(value: Destination | undefined, path: string): readonly Finding[] {
  if (value === undefined) return [error(path, { code: "missing-destination", message: "a destination is missing" })];
  const { host, subset, port } = value;
  return [
    ...hostname(host, `${path}.host`),
    ...errorUnless(subset === "" || isDnsLabel(subset), `${path}.subset`, {
      code: "bad-name",
      message: `"${subset}" cannot name a subset`,
    }),
    ...(port === undefined ? [] : portNumber(port.number, `${path}.port.number`)),
  ];
}

interface Weighted {
  readonly destination?: Destination | undefined;
  readonly weight: number;
}

/** Destinations that share the traffic by weight. Any scale is valid, but the sum must not be zero. */
export function weightedDestinations(routes: readonly Weighted[], path: string): readonly Finding[] {
  const total = routes.reduce((sum, { weight }) => sum + weight, 0);
  const nobody = routes.length > 1 && total === 0;
  return [
    ...routes.flatMap((route, index) => [
      ...destination(route.destination, fieldPath(path, index, "destination")),
      ...notNegative(route.weight, fieldPath(path, index, "weight")),
    ]),
    ...(nobody ? [error(path, { code: "bad-weights", message: "the weights of these destinations sum to 0" })] : []),
  ];
}
