import type { Labels } from "../../../../config/config.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";

/** The labels of a workload that routes match on. Other labels must not keep workloads from sharing routes. */
export function sourceLabelsOf(labels: Labels, virtualServices: readonly VirtualService[]): Labels {
  const names = namesIn(virtualServices);
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.has(name)));
}

const namesIn = oncePer((virtualServices: readonly VirtualService[]): ReadonlySet<string> => {
  const matches = virtualServices.flatMap(({ http }) => http.flatMap((route) => route.matches));
  return new Set(matches.flatMap(({ sourceLabels }) => Object.keys(sourceLabels)));
});
