import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Fraction } from "../../model/fraction.ts";
import type { Mirror } from "../../model/virtual-service.ts";
import { backendOf } from "./destination.ts";
import { fractionOf, wholePercent } from "./fraction.ts";

/** Who gets copies of a route's requests. Who is to get none of them is no mirror. */
export function mirrorsOf(route: HTTPRoute, namespace: string, domain: string): readonly Mirror[] {
  const single = { destination: route.mirror, fraction: singleFraction(route) };
  const several = route.mirrors.map(({ destination, percentage }) => ({
    destination,
    fraction: percentage === undefined ? everything : fractionOf(percentage),
  }));
  return [single, ...several]
    .filter(({ destination, fraction }) => destination !== undefined && fraction.numerator > 0)
    .map(({ destination, fraction }) => ({ ...backendOf(destination, namespace, domain), fraction }));
}

const everything = wholePercent(100);

function singleFraction({ mirrorPercentage, mirrorPercent }: HTTPRoute): Fraction {
  if (mirrorPercentage !== undefined) return fractionOf(mirrorPercentage);
  return mirrorPercent === undefined ? everything : wholePercent(mirrorPercent);
}
