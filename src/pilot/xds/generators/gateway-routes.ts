import type { Labels } from "../../../config/config.ts";
import { append } from "../../../lib/append.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { keyOf, kindNameOf } from "../../model/config-id.ts";
import type { RouteTable } from "../../model/gateway/merged-gateway.ts";
import { gatewayRefsOf, mergedGatewayFor, routeTablesOf } from "../../model/gateway/merged-gateway.ts";
import type { PortTranslation } from "../../model/gateway/port-translation.ts";
import { portTranslationFor } from "../../model/gateway/port-translation.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type RouteSettings, routeSettingsOf } from "../../model/proxy/proxy-settings.ts";
import type { PushContext, Since } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import { serviceConflicts } from "../../model/service/service-conflicts.ts";
import { changedHashes } from "../../model/traffic/changed-hashes.ts";
import type { VirtualService } from "../../model/traffic/virtual-service.ts";
import { sendsRequestsTo } from "../../model/traffic/virtual-service.ts";
import { buildGatewayRoutes } from "../../networking/route/gateway/build-gateway-routes.ts";
import { conflictsOver, gatewayHosts } from "../../networking/route/gateway/gateway-hosts.ts";
import { allBut, type Generated, type GeneratorRun, type PartFamily, type PartInputs } from "../generator.ts";
import { routerDependencies } from "./dependencies.ts";

/** Inputs that routers share if they have the same namespace, labels and services. */
interface RoutePart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
  readonly translation: PortTranslation;
  readonly settings: RouteSettings;
}

const concerns = allBut("Endpoints", "Instance", "Sidecar", "PeerAuthentication");

/** RDS: the route configurations of the gateways that select the proxy. */
export function gatewayRoutes(writer: ProtoWriter): PartFamily<RoutePart> {
  function generate({ inputs, push, since }: GeneratorRun<RoutePart>): Generated {
    const { namespace, labels, settings } = inputs;
    const gateways = affectedGateways(inputs, push, since);
    const tables = mergedGatewayFor(inputs, push)
      .ports.flatMap(routeTablesOf)
      .filter((table) => isAffected(table, gateways));
    const resources = tables.map((table) => buildGatewayRoutes({ table, namespace, labels, settings, push }, writer));
    if (gateways === "all") return { covers: "all", resources };
    return { covers: new Set(tables.map(({ name }) => name)), resources };
  }

  return {
    name: "gateway",
    parts: (proxy, push) => (proxy.type === "router" ? [routePart(proxy, push)] : []),
    concerns,
    dependencies: ({ namespace }, push) => routerDependencies(namespace, push),
    generate,
    conflicts(inputs, push) {
      const { namespace, labels, settings } = inputs;
      const tables = mergedGatewayFor(inputs, push).ports.flatMap(routeTablesOf);
      const overHosts = tables.flatMap((table) =>
        gatewayHosts({ table, namespace, labels, settings, push }, writer).drafts.flatMap(conflictsOver),
      );
      return [...overHosts, ...serviceConflicts(namespace, push)];
    },
  };
}

function routePart(proxy: Proxy, push: PushContext): RoutePart {
  const { namespace, labels, ipAddresses: addresses } = proxy;
  const settings = routeSettingsOf(proxy.settings ?? push.mesh.proxy);
  const translation = portTranslationFor({ addresses, namespace, labels }, push);
  return { namespace, labels, translation, settings };
}

/** The gateways whose virtual services changed, or their destinations; "all" for any other change. */
function affectedGateways(
  { namespace, labels }: RoutePart,
  push: PushContext,
  since: Since | undefined,
): ReadonlySet<string> | "all" {
  if (since === undefined || since.push.mesh !== push.mesh) return "all";
  const before = { push: since.push, scope: routerScopeFor(namespace, since.push) };
  const after = { push, scope: routerScopeFor(namespace, push) };
  const affected: VirtualService[] = [];
  for (const id of since.changed) {
    const kind = kindNameOf(id);
    if (!concerns(kind) || kind === "DestinationRule") continue;
    if (kind !== "VirtualService") return "all";
    for (const each of [before, after]) {
      const virtualService = each.push.virtualServices.get(keyOf(id));
      if (virtualService !== undefined) affected.push(virtualService);
    }
  }
  const hashed = changedHashes(since.changed, before, after, labels);
  if (hashed.size > 0)
    append(
      affected,
      [...push.virtualServices.values()].filter((each) => sendsRequestsTo(hashed, each)),
    );
  return new Set(affected.flatMap(({ gateways }) => gateways));
}

function isAffected(table: RouteTable, gateways: ReadonlySet<string> | "all"): boolean {
  return gateways === "all" || !gatewayRefsOf(table).isDisjointFrom(gateways);
}
