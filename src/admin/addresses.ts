import { json, type Route } from "./route.ts";
import type { Addresses } from "./state.ts";

export function addressesPage(addresses: () => Addresses): Route {
  return {
    path: "/debug/addresses",
    doc: "where the servers listen: the chosen ports when 0 was asked for",
    answer: () => json(addresses()),
  };
}
