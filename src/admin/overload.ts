import type { Overload } from "../lib/overload/overload.ts";
import { type Pressure, resourceNames, resources } from "../lib/overload/pressure.ts";
import { works } from "../lib/overload/work.ts";
import { json, type Route } from "./route.ts";

/** The page about the load of the process. `stalls` counts how often the main thread was stuck. */
export function overloadPage(overload: Overload, stalls: () => number): Route {
  return {
    path: "/debug/overload",
    doc: "load of the server: level, scarce resources, and the work that is delayed or refused",
    vital: true,
    answer: () =>
      json({
        level: overload.level,
        reason: overload.reason ?? "",
        advice: overload.resource === undefined ? "" : resources[overload.resource].advice,
        resources: overload.pressure === undefined ? [] : resourceRows(overload.pressure),
        work: works.map((work) => ({
          class: work,
          pace: overload.paceOf(work),
          shed: overload.shedCounts.get(work) ?? 0,
        })),
        mainThreadStalls: stalls(),
      }),
  };
}

function resourceRows(pressure: Pressure) {
  return resourceNames.map((name) => {
    const { measure, thresholds, text } = resources[name];
    const [elevated, high, critical] = thresholds;
    return { resource: name, value: measure(pressure), elevated, high, critical, text: text(pressure) };
  });
}
