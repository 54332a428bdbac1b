import type { Duration } from "@bufbuild/protobuf/wkt";
import { type FractionalPercent, FractionalPercent_DenominatorType as Per } from "#gen/envoy/type/v3/percent_pb.js";
import { formatDuration } from "../config/grammar/duration.ts";

export function durationText({ seconds, nanos }: Duration): string {
  return formatDuration(seconds * 1_000_000_000n + BigInt(nanos));
}

const denominators: Readonly<Record<Per, number>> = {
  [Per.HUNDRED]: 100,
  [Per.TEN_THOUSAND]: 10_000,
  [Per.MILLION]: 1_000_000,
};

/** A fraction of requests as text. The default for an unset fraction depends on the field. */
export function percentOf(fraction: FractionalPercent | undefined, unset: "0%" | "100%"): string {
  return fraction === undefined ? unset : percentText(fraction.numerator / denominators[fraction.denominator]);
}

/** A share of 1 as a percentage, with at most four decimals: `33.3333%`. */
export function percentText(share: number): string {
  return `${Number((share * 100).toFixed(4))}%`;
}
