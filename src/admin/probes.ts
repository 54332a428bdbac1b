import { type Route, text } from "./route.ts";
import type { AdminState } from "./state.ts";

/** 200 only when proxies get the whole mesh: see the composition root for what that takes. */
export function ready({ awaited }: Pick<AdminState, "awaited">): Route {
  return {
    path: "/ready",
    doc: "200 once proxies are served, else 503 and what is awaited",
    answer() {
      const missing = awaited();
      return missing.length === 0 ? text("ready") : text(`waiting for ${missing.join(", ")}`, 503);
    },
  };
}

export const healthz: Route = {
  path: "/healthz",
  doc: "200 while the process runs",
  answer: () => text("ok"),
};
