import type { Overload } from "../../lib/overload/overload.ts";
import { type Route, text } from "../route.ts";
import { awaitedBy, type Emitter } from "./emitter.ts";

/**
 * A loaded server stays ready. It refuses new streams by itself, and clients go to another replica. Without readiness
 * its certificate authority and its webhooks would be out of reach too, and with several loaded replicas everything.
 */
export function ready(emitters: readonly Emitter[], overload: Pick<Overload, "level" | "reason">): Route {
  return {
    path: "/ready",
    open: true,
    doc: "readiness: 200 when all parts are ready, else 503 with the missing conditions",
    answer() {
      const missing = awaitedBy(emitters);
      if (missing.length > 0) return text(`waiting for ${missing.join(", ")}`, 503);
      const load = overload.reason === undefined ? [] : [`load ${overload.level}: ${overload.reason}`];
      const remarks = emitters.flatMap((emitter) => emitter.remarks?.() ?? []);
      return text(["ready", ...load, ...remarks].join(", "));
    },
  };
}

export const healthz: Route = {
  path: "/healthz",
  open: true,
  doc: "liveness: 200 while the process runs",
  answer: () => text("ok"),
};
