import type { Lag, Lags } from "../../history/fleet.ts";
import type { FleetChange } from "../../history/fleet-writer.ts";
import type { FleetSample } from "./fleet-sampler.ts";
import type { RawLag } from "./proxy-lags.ts";

/** A sample with moments instead of positions. */
export function changeAmongProxies(sample: FleetSample, momentOf: (position: number) => number): FleetChange {
  const { published, behind, ...rest } = sample;
  const lagOf = ({ position, why }: RawLag): Lag => [position === undefined ? 0 : momentOf(position), why];
  const lagsOf = (lags: FleetSample["behind"][number][1]): Lags =>
    Object.fromEntries(Object.entries(lags).map(([type, lag]) => [type, lagOf(lag)]));
  return {
    ...rest,
    moment: momentOf(published),
    behind: behind.map(([nodeId, lags]) => [nodeId, lagsOf(lags)]),
  };
}
