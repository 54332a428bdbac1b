import type { Percent } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Fraction } from "../../../model/traffic/virtual-service.ts";

/** Rounded: 0.57 times 10 000 is a little less than 5700. */
export function fractionOf({ value }: Percent): Fraction {
  return { numerator: Math.round(value * 10_000), denominator: 1_000_000 };
}

export function wholePercent(percent: number): Fraction {
  return { numerator: percent, denominator: 100 };
}
