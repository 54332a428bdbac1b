import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import { violationsIn } from "./violations.ts";

const redirect = {
  match: { pathSpecifier: { case: "prefix", value: "/" } },
  action: { case: "redirect", value: {} },
} as const;
const host = { name: "a", domains: ["a"], routes: [redirect] };
const router = anyPack(RouterSchema, create(RouterSchema, { strictCheckHeaders: ["x-unknown"] }));

function places<Desc extends DescMessage>(desc: Desc, message: MessageInitShape<Desc>): readonly string[] {
  return violationsIn(desc, create(desc, message)).map(({ path }) => path);
}

test.each<[MessageInitShape<typeof RouteConfigurationSchema>, ...(readonly string[])]>([
  [{ virtualHosts: [host] }],
  [{ virtualHosts: [host, { ...host, name: "" }] }, "virtual_hosts[1].name"],
  [{ virtualHosts: [{ ...host, routes: [redirect, { match: redirect.match }] }] }, "virtual_hosts[0].routes[1].action"],
  [{ virtualHosts: [{ ...host, routes: [{ action: redirect.action }] }] }, "virtual_hosts[0].routes[0].match"],
  [{ typedPerFilterConfig: { a: router } }, "typed_per_filter_config.a.strict_check_headers"],
  [{ validateClusters: true }],
])("%j breaks rules in %j", (message, ...expected) => {
  expect(places(RouteConfigurationSchema, message)).toEqual(expected);
});
