import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import { defaultRouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import type { AppliedHash, HashLookup } from "../../../model/traffic/applied-hash.ts";
import type { HeaderOperations } from "../../../model/traffic/virtual-service.ts";
import { forwardOf } from "../action/forward.ts";
import type { TargetedForward } from "../action/targets.ts";
import type { EncodedRoute } from "../build-routes.ts";
import { routeMatchOf } from "../route-match.ts";

const noHeaderOperations: HeaderOperations = {
  request: { set: [], add: [], remove: [] },
  response: { set: [], add: [], remove: [] },
};

/** Like a virtual service with only a destination. */
const plainForward: Omit<TargetedForward, "destinations"> = {
  type: "forward",
  mirrors: [],
  rewrite: { path: { type: "none" }, authority: "" },
  timeout: undefined,
  retries: undefined,
  // As in Istio, only an explicit route gets retries that stay with an endpoint.
  sticky: false,
};

/** Routes of a service without a virtual service: every request goes to the port it was sent to. */
export function defaultRoutes(
  service: Service,
  port: number,
  { mesh, hashes }: { readonly mesh: MeshSettings; readonly hashes: HashLookup },
  writer: ProtoWriter,
): readonly EncodedRoute[] {
  return buildDefaults([service, mesh, writer], { port, hash: hashes(plainBackend(service, port)) });
}

function plainBackend({ hostname }: Service, port: number) {
  return { hostname, subset: "", port };
}

/** Shared by all scopes, and kept when a virtual service of another host changes. */
const buildDefaults = memoize(
  (
    [service, mesh, writer]: readonly [Service, MeshSettings, ProtoWriter],
    { port, hash }: { readonly port: number; readonly hash: AppliedHash | undefined },
  ): readonly EncodedRoute[] => {
    const backend = plainBackend(service, port);
    const forward = { ...plainForward, destinations: [{ ...backend, hash, weight: 0, headers: noHeaderOperations }] };
    const bytes = writer.encode(RouteSchema, {
      name: "default",
      match: routeMatchOf(undefined),
      action: {
        case: "route",
        value: forwardOf(forward, noHeaderOperations, { mesh, settings: defaultRouteSettings }, writer),
      },
      decorator: { operation: `${service.hostname}:${port}/*` },
    });
    return [{ bytes, catchAll: true, owners: hash?.owners ?? [] }];
  },
);
