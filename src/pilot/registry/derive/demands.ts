import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Demand, demandOfRule, demandOfService } from "../../model/place/demand.ts";
import type { Service } from "../../model/service/service.ts";
import type { DestinationRule } from "../../model/traffic/destination-rule.ts";

/** Facts about clients that rules and services need. Each fact occurs once, however many rules and services need it. */
export function deriveDemands(graph: Graph, rules: Collection<DestinationRule>, services: Collection<Service>) {
  return graph.union<Demand>({
    name: "demands",
    parts: [demandsIn(graph, rules, demandOfRule), demandsIn(graph, services, demandOfService)],
  });
}

function demandsIn<T>(graph: Graph, from: Collection<T>, demandOf: (one: T) => Demand | undefined): Collection<Demand> {
  return graph.derive({
    name: `demands of ${from.name}`,
    from,
    key: (demand: Demand) => JSON.stringify(demand),
    to: (one) => {
      const demand = demandOf(one);
      return demand === undefined ? [] : [demand];
    },
  });
}
