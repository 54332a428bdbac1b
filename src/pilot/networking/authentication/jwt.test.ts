import { fromBinary, toJson } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { JwtAuthenticationSchema } from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { configId } from "../../../config/config.ts";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { JwtRule, RequestAuthentication } from "../../model/policy/request-authentication.ts";
import type { FilterContext } from "../filters/filter.ts";
import { noPolicies } from "../../../testing/model/no-policies.ts";
import { jwt } from "./jwt.ts";

const plain: JwtRule = {
  issuer: "one",
  audiences: [],
  place: undefined,
  timeoutMs: undefined,
  keySet: '{"keys":[1]}',
  hasUsableKey: true,
  required: false,
  headers: [],
  parameters: [],
  cookies: [],
  forwardsToken: false,
  payloadHeader: "",
  claimHeaders: [],
  spaceDelimitedClaims: [],
};

function policyOf(...rules: readonly JwtRule[]): RequestAuthentication {
  const owner = configId("RequestAuthentication", "shop", "tokens");
  return { namespace: "shop", name: "tokens", createdAt: 0, owner, selector: undefined, targets: [], rules };
}

/** The configuration of the filter; undefined without one. */
function filterFor(
  authentication: readonly RequestAuthentication[],
  direction: FilterContext["direction"] = "inbound",
  checksKeySets = true,
) {
  // The filter reads nothing else of a context.
  const context = {
    direction,
    capabilities: { checksKeySets },
    policies: { ...noPolicies, authentication },
  } as unknown as FilterContext;
  const [filter] = jwt(context, new ProtoWriter());
  if (filter === undefined) return undefined;
  const any = fromBinary(AnySchema, filter.configType.value);
  return toJson(JwtAuthenticationSchema, fromBinary(JwtAuthenticationSchema, any.value)) as unknown as Filter;
}

interface Filter {
  readonly providers: Readonly<Record<string, { readonly issuer: string }>>;
  readonly rules: readonly [{ readonly requires: unknown }];
}

const provided = (index: number) => ({ providerName: `origins-${index}` });
const optional = (index: number) => ({ requiresAny: { requirements: [provided(index), { allowMissing: {} }] } });

describe("the token filter", () => {
  test("is there for inbound and gateway listeners with rules alone", () => {
    expect(filterFor([])).toBeUndefined();
    expect(filterFor([policyOf()])).toBeUndefined();
    expect(filterFor([policyOf(plain)], "outbound")).toBeUndefined();
    expect(filterFor([policyOf(plain)], "inbound")).toBeDefined();
    expect(filterFor([policyOf(plain)], "gateway")).toBeDefined();
  });

  test("clears the route cache at gateways alone, where routes match claims", () => {
    expect(filterFor([policyOf(plain)], "gateway")?.providers).toMatchObject({
      "origins-0": { clearRouteCache: true },
    });
    expect(filterFor([policyOf(plain)], "inbound")?.providers["origins-0"]).not.toHaveProperty("clearRouteCache");
  });

  test("sorts the rules of all policies by issuer", () => {
    const filter = filterFor([
      policyOf({ ...plain, issuer: "c" }, { ...plain, issuer: "a" }),
      policyOf({ ...plain, issuer: "b" }),
    ]);
    expect(Object.entries(filter?.providers ?? {}).map(([name, { issuer }]) => [name, issuer])).toEqual([
      ["origins-0", "a"],
      ["origins-1", "b"],
      ["origins-2", "c"],
    ]);
  });

  test("has no key until the keys are fetched, so that every token is rejected", () => {
    const unfetched = { ...plain, keySet: undefined, hasUsableKey: false };
    const blackHole = { "origins-0": { remoteJwks: { httpUri: { cluster: "BlackHoleCluster" } } } };
    for (const checks of [true, false]) {
      expect(filterFor([policyOf(unfetched)], "inbound", checks)?.providers).toMatchObject(blackHole);
    }
  });

  test("has no inline key set without a usable key, which every Envoy refuses", () => {
    const useless = policyOf({ ...plain, keySet: '{"keys":[]}', hasUsableKey: false });
    expect(filterFor([useless])?.providers["origins-0"]).toHaveProperty("remoteJwks");
    expect(filterFor([useless], "inbound", false)?.providers).toMatchObject({
      "origins-0": { localJwks: { inlineString: '{"keys":[]}' } },
    });
  });

  test("lets requests without a token pass, and requests with a valid token of any issuer", () => {
    expect(filterFor([policyOf(plain)])?.rules[0].requires).toEqual(optional(0));
    expect(filterFor([policyOf(plain, plain)])?.rules[0].requires).toEqual({
      requiresAny: {
        requirements: [provided(0), provided(1), { requiresAll: { requirements: [optional(0), optional(1)] } }],
      },
    });
  });

  test("lets only requests with the token of a required rule pass", () => {
    const required = { ...plain, required: true };
    expect(filterFor([policyOf(required)])?.rules[0].requires).toEqual(provided(0));
    expect(filterFor([policyOf(plain, required)])?.rules[0].requires).toEqual(provided(1));
    expect(filterFor([policyOf(required, required)])?.rules[0].requires).toEqual({
      requiresAll: { requirements: [provided(0), provided(1)] },
    });
  });
});
