import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Backend, Fraction, Mirror } from "../../../model/traffic/virtual-service.ts";
import { backendOf } from "../destination.ts";
import type { RouteSource } from "../route-source.ts";
import { fractionOf, wholePercent } from "./fraction.ts";

const everything = wholePercent(100);

/** The fraction of the single mirror, if set. */
export function shareOf({ mirrorPercentage, mirrorPercent }: HTTPRoute): Fraction | undefined {
  if (mirrorPercentage !== undefined) return fractionOf(mirrorPercentage);
  return mirrorPercent === undefined ? undefined : wholePercent(mirrorPercent);
}

/** Mirrors of the `mirrors` list. */
export function mirrorsOf({ mirrors }: HTTPRoute, source: RouteSource): readonly Mirror[] {
  return mirrors
    .filter(({ destination }) => destination !== undefined)
    .map(({ destination, percentage }) => ({
      ...backendOf(destination, source),
      fraction: percentage === undefined ? everything : fractionOf(percentage),
    }));
}

interface Mirrored {
  readonly mirror: Backend | undefined;
  readonly mirrorShare: Fraction | undefined;
  readonly mirrors: readonly Mirror[];
}

/** All mirrors of a route, the single one first. A mirror with a zero fraction is omitted. */
export function mirrorsAmong({ mirror, mirrorShare = everything, mirrors }: Mirrored): readonly Mirror[] {
  const all = mirror === undefined ? mirrors : [{ ...mirror, fraction: mirrorShare }, ...mirrors];
  return all.filter(({ fraction }) => fraction.numerator > 0);
}
