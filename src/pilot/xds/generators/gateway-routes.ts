import type { ConfigId } from "../../../config/config.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Labels } from "../../model/labels.ts";
import { labelsId } from "../../model/labels.ts";
import type { MergedPort } from "../../model/merged-gateway.ts";
import { gatewayRefsOf, httpRouteName, mergedGatewayFor } from "../../model/merged-gateway.ts";
import type { Proxy } from "../../model/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import { kindOf } from "../../model/push-request.ts";
import { routerScopeFor } from "../../model/router-scope.ts";
import { buildGatewayRoutes } from "../../networking/route/build-gateway-routes.ts";
import type { Generated, GeneratorRun, PartFamily, PartInputs } from "../generator.ts";

/** What the routers of a namespace with equal labels share. */
interface RoutePart extends PartInputs {
  readonly namespace: string;
  readonly labels: Labels;
}

const ignored: ReadonlySet<string> = new Set(["Endpoints", "Instance", "DestinationRule", "Sidecar"]);

function concerns(kind: string): boolean {
  return !ignored.has(kind);
}

/** RDS: a route configuration per HTTP port of the gateways that select the proxy. */
export function gatewayRoutes(writer: ProtoWriter): PartFamily<RoutePart> {
  function generate({ inputs: { namespace, labels }, push, since }: GeneratorRun<RoutePart>): Generated {
    const gateways = affectedGateways(push, since);
    const ports = mergedGatewayFor(labels, push).ports.filter((port) => isAffected(port, gateways));
    const resources = ports.flatMap((port) => buildGatewayRoutes({ port, namespace, labels, push }, writer) ?? []);
    if (gateways === "all") return { covers: "all", resources };
    return { covers: new Set(ports.flatMap((port) => httpRouteName(port) ?? [])), resources };
  }

  return {
    name: "gateway",
    parts: (proxy) => (proxy.type === "router" ? [routePart(proxy)] : []),
    scope: ({ namespace }, push) => routerScopeFor(namespace, push),
    concerns,
    generate,
  };
}

function routePart({ namespace, labels }: Proxy): RoutePart {
  return { id: JSON.stringify([namespace, labelsId(labels)]), namespace, labels };
}

/** The gateways whose virtual services changed; "all" when more than virtual services did. */
function affectedGateways(
  push: PushContext,
  since: { readonly push: PushContext; readonly changed: ReadonlySet<ConfigId> } | undefined,
): ReadonlySet<string> | "all" {
  if (since === undefined || since.push.mesh !== push.mesh) return "all";
  const gateways = new Set<string>();
  for (const id of since.changed) {
    const kind = kindOf(id);
    if (!concerns(kind)) continue;
    if (kind !== "VirtualService") return "all";
    const key = id.slice(id.indexOf("/") + 1);
    for (const each of [since.push, push]) {
      for (const gateway of each.virtualServices.get(key)?.gateways ?? []) gateways.add(gateway);
    }
  }
  return gateways;
}

function isAffected(port: MergedPort, gateways: ReadonlySet<string> | "all"): boolean {
  return gateways === "all" || !gatewayRefsOf(port).isDisjointFrom(gateways);
}
