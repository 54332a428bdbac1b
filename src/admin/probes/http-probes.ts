import { type Route, text } from "../route.ts";
import { awaitedBy, type Emitter } from "./emitter.ts";

export function ready(emitters: readonly Emitter[]): Route {
  return {
    path: "/ready",
    open: true,
    doc: "readiness: 200 when all parts are ready, else 503 with the missing conditions",
    answer() {
      const missing = awaitedBy(emitters);
      return missing.length === 0 ? text("ready") : text(`waiting for ${missing.join(", ")}`, 503);
    },
  };
}

export const healthz: Route = {
  path: "/healthz",
  open: true,
  doc: "liveness: 200 while the process runs",
  answer: () => text("ok"),
};
