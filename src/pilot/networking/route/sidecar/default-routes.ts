import { RouteSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { defaultRouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { Service } from "../../../model/service/service.ts";
import type { HeaderOperations } from "../../../model/traffic/virtual-service.ts";
import { forwardOf } from "../action/forward.ts";
import { hashId, type TargetedForward } from "../action/targets.ts";
import type { EncodedRoute } from "../build-routes.ts";
import { routeMatchOf } from "../route-match.ts";
import type { ListenerInputs } from "./host-groups.ts";

const untouched: HeaderOperations = {
  request: { set: [], add: [], remove: [] },
  response: { set: [], add: [], remove: [] },
};

/** As a virtual service that says nothing but where to. */
const plainly: Omit<TargetedForward, "destinations"> = {
  type: "forward",
  mirrors: [],
  rewrite: { path: { type: "none" }, authority: "" },
  timeout: undefined,
  retries: undefined,
  // As Istio has it: only who writes a route gets retries that stay with an endpoint.
  sticky: false,
};

const built = new Memo<readonly EncodedRoute[]>();

/** What a service answers when no virtual service has a say: every request goes to the port it was sent to. */
export function defaultRoutes(
  service: Service,
  port: number,
  { mesh, hashes }: Pick<ListenerInputs, "mesh" | "hashes">,
  writer: ProtoWriter,
): readonly EncodedRoute[] {
  const { hostname } = service;
  const backend = { hostname, subset: "", port };
  const hash = hashes(backend);
  return built.get([service, mesh, writer], `${port} ${hash === undefined ? "" : hashId(hash)}`, () => {
    const forward = { ...plainly, destinations: [{ ...backend, hash, weight: 0, headers: untouched }] };
    const bytes = writer.encode(RouteSchema, {
      name: "default",
      match: routeMatchOf(undefined),
      action: { case: "route", value: forwardOf(forward, untouched, { mesh, settings: defaultRouteSettings }, writer) },
      decorator: { operation: `${hostname}:${port}/*` },
    });
    return [{ bytes, catchAll: true, owners: hash?.owners ?? [] }];
  });
}
