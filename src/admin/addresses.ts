import { json, type Route } from "./route.ts";
import type { Addresses } from "./state.ts";

export function addressesPage(addresses: () => Addresses): Route {
  return {
    path: "/debug/addresses",
    doc: "addresses of all listeners; shows the actual port if port 0 was configured",
    answer: () => json(addresses()),
  };
}
