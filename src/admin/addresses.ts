import { json, type Route } from "./route.ts";
import type { AdminState } from "./state.ts";

export function addresses({ addresses }: Pick<AdminState, "addresses">): Route {
  return {
    path: "/debug/addresses",
    doc: "where the servers listen: the chosen ports when 0 was asked for",
    answer: () => json(addresses()),
  };
}
