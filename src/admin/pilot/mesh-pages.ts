import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { scopeRefOf, sidecarScopeFor } from "../../pilot/model/scope/sidecar-scope-for.ts";
import { targetsOf } from "../../pilot/model/service/service-target.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { proxiesOf, proxyPage } from "./find-proxy.ts";

type MeshState = Pick<PilotState, "connections" | "published">;

/** The mesh state that pushes are built from. */
export function meshPages(state: MeshState): readonly Route[] {
  const { published } = state;
  const endpoints = () => json(Object.fromEntries(published().endpoints.entries()));
  const endpointsDoc = "all endpoints, by service";
  return [
    { path: "/debug/registryz", doc: "all services", answer: () => json([...published().services.values()]) },
    { path: "/debug/endpointz", doc: endpointsDoc, answer: endpoints },
    { path: "/debug/endpointShardz", doc: endpointsDoc, answer: endpoints },
    { path: "/debug/mesh", doc: "settings of the mesh (MeshConfig)", answer: () => json(published().mesh) },
    {
      path: "/debug/networkz",
      doc: "gateways of the networks",
      answer: () => json(published().networks.gateways),
    },
    {
      path: "/debug/pushcontext",
      doc: "number of objects in the last push context",
      answer: () => json(sizesOf(published())),
    },
    instancesPage(state),
    sidecarPage(state),
  ];
}

function instancesPage(state: MeshState): Route {
  const targets = ({ namespace, labels, ipAddresses: addresses }: Proxy) =>
    targetsOf({ addresses, namespace, labels }, state.published());
  return {
    path: "/debug/instancesz",
    doc: "services of each proxy's own workload",
    answer: () => json(Object.fromEntries(proxiesOf(state).map(({ client }) => [client.nodeId, targets(client)]))),
  };
}

function sidecarPage(state: MeshState): Route {
  const doc = "services and rules visible to one proxy, and the Sidecar that selects them";
  return proxyPage({ path: "/debug/sidecarz", doc }, state, ({ client }) => {
    const push = state.published();
    const { services, egress, ...scope } = sidecarScopeFor(scopeRefOf(client, push), push);
    return {
      ...scope,
      services: services.map(({ hostname }) => hostname),
      egress: egress.map((listener) => ({
        ...listener,
        services: listener.services.map(({ hostname }) => hostname),
        virtualServices: listener.virtualServices.map(({ namespace, name }) => `${namespace}/${name}`),
      })),
    };
  });
}

function sizesOf(push: ReturnType<MeshState["published"]>) {
  const sizes = Object.entries(push).flatMap(([name, view]) => {
    const size: unknown = typeof view === "object" && view !== null ? Reflect.get(view, "size") : undefined;
    return typeof size === "number" ? [[name, size] as const] : [];
  });
  return { sequence: push.sequence, ...Object.fromEntries(sizes), networkGateways: push.networks.gateways };
}
