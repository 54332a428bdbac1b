import { FractionalPercent_DenominatorType as Denominator } from "#gen/envoy/type/v3/percent_pb.js";
import type { Fraction } from "../model/traffic/virtual-service.ts";

const denominators: Readonly<Record<Fraction["denominator"], Denominator>> = {
  100: Denominator.HUNDRED,
  1_000_000: Denominator.MILLION,
};

export function fractionalPercentOf({ numerator, denominator }: Fraction) {
  return { numerator, denominator: denominators[denominator] };
}
