import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { Labels } from "../../model/labels.ts";
import { standpointOf } from "../../model/place/standpoint.ts";
import { type AddressFamilies, familiesOf } from "../../model/proxy/address-families.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { isSidecar } from "../../model/proxy/proxy.ts";
import { type RouteSettings, routeSettingsOf } from "../../model/proxy/proxy-settings.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { ScopeRef } from "../../model/scope/sidecar-scope.ts";
import { scopeRefOf, sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import { serviceConflicts } from "../../model/service/service-conflicts.ts";
import { hashLookupFor } from "../../model/traffic/applied-hash.ts";
import { virtualServicesFor } from "../../model/traffic/virtual-services-for.ts";
import { httpProxyPortOf } from "../../networking/listener/outbound/outbound-client.ts";
import {
  buildSidecarRoutes,
  type SidecarRouteInputs,
  sidecarConflicts,
} from "../../networking/route/sidecar/build-sidecar-routes.ts";
import { type SidecarRoute, sidecarRoutesOf } from "../../networking/route/sidecar/sidecar-route.ts";
import { sourceLabelsOf } from "../../networking/route/sidecar/source-labels.ts";
import { allBut, type Generated, type GeneratorRun, type PartFamily, type PartInputs } from "../generator.ts";
import { affectedRoutes } from "./affected/affected-routes.ts";

/** Inputs that sidecars share if they have the same scope, the same DNS domain, and equal labels that routes use. */
interface RoutePart extends PartInputs {
  readonly ref: ScopeRef;
  readonly dnsDomain: string;
  readonly families: AddressFamilies;
  /** The labels that routes match on, and the labels that rules select by. */
  readonly labels: Labels;
  readonly selected: Labels;
  readonly redirected: boolean;
  readonly settings: RouteSettings;
  /** It is an HTTP proxy as well, on a port of its own. */
  readonly httpProxy: boolean;
}

/** RDS: a route configuration for every name that outbound listeners of a scope may refer to. */
export function sidecarRoutes(writer: ProtoWriter): PartFamily<RoutePart> {
  function generate({ inputs, push, since }: GeneratorRun<RoutePart>): Generated {
    const routes = sidecarRoutesOf(sidecarScopeFor(inputs.ref, push), inputs.httpProxy);
    const covers = since === undefined ? "all" : affectedRoutes(inputs, push, since);
    const wanted = covers === "all" ? routes.values() : [...covers].flatMap((name) => routes.get(name) ?? []);
    const resources = routeInputs(inputs, push, wanted).map((each) => buildSidecarRoutes(each, writer));
    return { covers, resources };
  }

  function conflicts(inputs: RoutePart, push: PushContext): readonly Conflict[] {
    const scope = sidecarScopeFor(inputs.ref, push);
    const routes = sidecarRoutesOf(scope, inputs.httpProxy).values();
    const overHosts = routeInputs(inputs, push, routes).flatMap((each) => sidecarConflicts(each, writer));
    return [...overHosts, ...serviceConflicts(scope.namespace, push)];
  }

  return {
    name: "sidecar",
    parts: (proxy, push) => (isSidecar(proxy) ? [routePart(proxy, push)] : []),
    scope: ({ ref }, push) => sidecarScopeFor(ref, push),
    concerns: allBut("Endpoints", "Instance", "Gateway", "PeerAuthentication"),
    generate,
    conflicts,
  };
}

function routeInputs(
  { ref, labels, selected, dnsDomain, families, redirected, settings }: RoutePart,
  push: PushContext,
  routes: Iterable<SidecarRoute>,
): readonly SidecarRouteInputs[] {
  const scope = sidecarScopeFor(ref, push);
  const hashes = hashLookupFor(scope, selected, push);
  const common = { scope, labels, dnsDomain, families, redirected, settings, mesh: push.mesh, hashes };
  return Array.from(routes, (route) => ({ ...common, route }));
}

function routePart(proxy: Proxy, push: PushContext): RoutePart {
  const { namespace, dnsDomain } = proxy;
  const ref = scopeRefOf(proxy, push);
  const families = familiesOf(proxy.ipAddresses);
  const labels = sourceLabelsOf(proxy.labels, virtualServicesFor(meshGateway, namespace, push));
  const redirected = proxy.interception !== "none";
  const { selected } = standpointOf(proxy, push, "clusters");
  const httpProxy = httpProxyPortOf(proxy, push.mesh) > 0;
  const settings = routeSettingsOf(proxy.settings ?? push.mesh.proxy);
  return { ref, dnsDomain, families, labels, selected, redirected, httpProxy, settings };
}
