import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { AuthorizationPolicy as IstioAuthorizationPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { HttpFilterSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { Config } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { rbacFilters } from "../../src/pilot/networking/authorization/rbac-filters.ts";
import { authorizationPolicyOf } from "../../src/pilot/registry/policy/authorization-policy.ts";
import { describeWithData, istioData } from "../../src/testing/shared-data.ts";
import { loadRegistry } from "./registry.ts";

const folder = join(istioData, "authz/http");
const read = (file: string) => readFileSync(join(folder, file), "utf8");

/** The filters that our builder makes from the policies of a file. */
async function filtersOf(name: string): Promise<readonly JsonValue[]> {
  const writer = new ProtoWriter();
  const file = `${name}-in.yaml`;
  const { configs } = parseConfigs({ text: read(file), file, source: "test", kinds, defaultNamespace: "default" });
  const policies = configs.map((config) => authorizationPolicyOf(config as Config<IstioAuthorizationPolicy>));
  const reader = {
    carries: "http",
    trustDomains: ["cluster.local"],
    // Proxies before Istio 1.11 know no string matches of headers.
    hostsByRegex: name.endsWith("-before-111"),
    templatesByRegex: false,
  } as const;
  const registry = await loadRegistry();
  return rbacFilters(policies, reader, writer).map((filter) =>
    toJson(HttpFilterSchema, fromBinary(HttpFilterSchema, writer.encode(HttpFilterSchema, filter)), { registry }),
  );
}

/** Each pair is a file with policies, and the files with the filters that istiod's builder makes from them. */
describeWithData(folder, "the filters of authorization policies are those of Istio's own test data", () => {
  const names = globSync("*-in.yaml", { cwd: folder }).map((file) => file.replace(/-in\.yaml$/u, ""));

  test.each(names.toSorted())("%s", async (name) => {
    const expected = globSync(`${name}-out*.yaml`, { cwd: folder }).toSorted();
    expect(expected.length).toBeGreaterThan(0);
    expect(await filtersOf(name)).toEqual(expected.map((file) => parse(read(file)) as JsonValue));
  });
});
