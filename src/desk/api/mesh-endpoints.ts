import type { DeskState } from "./desk-state.ts";
import type { Endpoint } from "./endpoint.ts";
import { conflictSearch, listConflicts } from "./handlers/mesh/conflicts.ts";
import { listGateways } from "./handlers/mesh/gateways.ts";
import { oneNamespace } from "./handlers/mesh/namespace-page.ts";
import { oneService } from "./handlers/mesh/service-page.ts";
import { listServices } from "./handlers/mesh/services.ts";
import { callMatrix, showMesh } from "./handlers/mesh/summary.ts";
import { pages } from "./page-parameters.ts";

/** The endpoints of the mesh screen. Two searches take long, and are shared by all desks. */
export function meshEndpoints(state: DeskState): readonly Endpoint[] {
  const matrix = callMatrix(state);
  const conflicts = conflictSearch(state);
  return [
    {
      method: "GET",
      path: "/mesh",
      doc: "Namespaces, and how many services each may call in the others, by configuration.",
      gives: "MeshSummary",
      access: "namespace",
      answer: (request) => showMesh(state, matrix, request),
    },
    {
      method: "GET",
      path: "/mesh/namespaces/NAME",
      doc: "The services of a namespace, and who may call them, with the objects that decide.",
      gives: "NamespaceDetail",
      access: "namespace",
      answer: (request) => oneNamespace(state, request),
    },
    {
      method: "GET",
      path: "/mesh/services",
      doc: "Services, by hostname.",
      parameters: {
        search: "text in the hostname, namespace, addresses or ports",
        namespace: "a namespace",
        health: "a `ServiceHealth`; may be repeated, like all filters",
        ...pages,
      },
      gives: "ServiceListing",
      access: "namespace",
      answer: (request) => listServices(state, request),
    },
    {
      method: "GET",
      path: "/mesh/services/NAMESPACE/HOSTNAME",
      doc: "One service: endpoints, routes, subsets, rules, and who may call it.",
      gives: "ServiceDetail",
      access: "namespace",
      answer: (request) => oneService(state, request),
    },
    {
      method: "GET",
      path: "/mesh/gateways",
      doc: "Hosts of gateways, and the VirtualService that owns each.",
      parameters: { search: "text in the host or the gateway", gateway: "`namespace/name` of a gateway", ...pages },
      gives: "GatewayListing",
      access: "namespace",
      answer: (request) => listGateways(state, request),
    },
    {
      method: "GET",
      path: "/mesh/conflicts",
      doc: "Objects that claim the same thing for connected proxies: winner and losers. At most 100.",
      gives: "ConflictListing",
      access: "namespace",
      answer: (request) => listConflicts(state, conflicts, request),
    },
  ];
}
