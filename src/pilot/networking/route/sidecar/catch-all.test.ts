import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { defaultRouteSettings as settings } from "../../../model/proxy/proxy-settings.ts";
import type { OutboundPolicy } from "../../../model/scope/sidecar.ts";
import type { Destination } from "../../../model/traffic/virtual-service.ts";
import { catchAllHost } from "./catch-all.ts";

const writer = new ProtoWriter();
const nothing = { set: [], add: [], remove: [] };
const egressProxy: Destination = {
  hostname: "exit.shop",
  subset: "v1",
  port: 8080,
  weight: 0,
  headers: { request: nothing, response: nothing },
};

function outcome(policy: OutboundPolicy, redirected: boolean): readonly [string, unknown] {
  const { name, domains, routes } = fromBinary(VirtualHostSchema, catchAllHost(policy, redirected, settings, writer));
  expect(domains).toEqual(["*"]);
  expect(routes.map((route) => route.name)).toEqual([name]);
  const action = routes[0]?.action;
  if (action?.case === "directResponse") return [name, action.value.status];
  return [name, action?.case === "route" ? action.value.clusterSpecifier.value : undefined];
}

test.each<[string, OutboundPolicy, boolean, string, unknown]>([
  ["pass on", { mode: "allow-any", egressProxy: undefined }, true, "allow_any", "PassthroughCluster"],
  ["use the exit", { mode: "allow-any", egressProxy }, true, "allow_any", "outbound|8080|v1|exit.shop"],
  [
    "use the exit also without redirection",
    { mode: "allow-any", egressProxy },
    false,
    "allow_any",
    "outbound|8080|v1|exit.shop",
  ],
  ["refuse what is not registered", { mode: "registry-only", egressProxy: undefined }, true, "block_all", 502],
  [
    "refuse what came without an address to pass it on to",
    { mode: "allow-any", egressProxy: undefined },
    false,
    "block_all",
    502,
  ],
])("proxies may %s", (_, policy, redirected, name, target) => {
  expect(outcome(policy, redirected)).toEqual([name, target]);
});

test("the catch-all host is encoded once for all routes of a policy", () => {
  const policy: OutboundPolicy = { mode: "registry-only", egressProxy: undefined };
  expect(catchAllHost(policy, true, settings, writer)).toBe(catchAllHost(policy, true, settings, writer));
});
