import { compareTexts } from "../../lib/compare.ts";
import type { PartFacts } from "../../pilot/xds/catalogue.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";

export function cachezPage({ parts }: Pick<PilotState, "parts">): Route {
  return {
    path: "/debug/cachez",
    doc: "generated parts and the proxies that share them; ?sizes=true for bytes by type",
    answer(query) {
      const all = [...parts()].toSorted((a, b) => compareTexts(`${a.type} ${a.name}`, `${b.type} ${b.name}`));
      return json(query.get("sizes") === "true" ? sizesOf(all) : all.map(summaryOf));
    },
  };
}

function summaryOf({ type, name, proxies, resources }: PartFacts) {
  return { type, part: name, proxies, resources: Array.from(resources, (resource) => resource.name) };
}

function sizesOf(parts: readonly PartFacts[]) {
  const bytes = new Map<string, number>();
  for (const { type, resources } of parts) {
    const size = [...resources].reduce((sum, { entry }) => sum + entry.length, 0);
    bytes.set(type, (bytes.get(type) ?? 0) + size);
  }
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  return { types: Object.fromEntries(bytes), total };
}
