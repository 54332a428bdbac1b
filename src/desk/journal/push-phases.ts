import type { ControlPlane, PhaseTime } from "../api/model/control-plane.ts";
import { Latencies } from "./latencies.ts";
import type { RecordedPush } from "./recorded-push.ts";

/** How long the phases of these pushes took. `acknowledge` counts every proxy, `debounce` and `build` every push. */
export function pushPhases(pushes: Iterable<RecordedPush>): ControlPlane["pushPhases"] {
  const debounce = new Latencies();
  const build = new Latencies();
  const acknowledge = new Latencies();
  for (const { facts, latencies } of pushes) {
    debounce.add(facts.debouncedMs);
    build.add(facts.buildMs);
    acknowledge.merge(latencies);
  }
  return { debounce: phaseTime(debounce), build: phaseTime(build), acknowledge: phaseTime(acknowledge) };
}

/** Rounded to a tenth of a millisecond. */
function phaseTime(times: Latencies): PhaseTime {
  const { count } = times;
  if (count === 0) return { count };
  const at = (share: number) => Math.round(10 * times.quantile(share)) / 10;
  return { count, p50: at(0.5), p99: at(0.99) };
}
