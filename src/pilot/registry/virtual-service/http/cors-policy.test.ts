import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  CorsPolicySchema,
  CorsPolicy_UnmatchedPreflights as Unmatched,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fakeCorsPolicy } from "../../../../testing/model/traffic.ts";
import type { CorsPolicy } from "../../../model/traffic/virtual-service.ts";
import { corsPolicyOf } from "./cors-policy.ts";

test.each<[string, MessageInitShape<typeof CorsPolicySchema>, Partial<CorsPolicy>]>([
  ["says nothing by itself", {}, {}],
  [
    "knows origins by matches",
    {
      allowOrigins: [
        { matchType: { case: "exact", value: "https://a" } },
        { matchType: { case: "regex", value: "https://.*" } },
        { matchType: { case: "regex", value: "*" } },
      ],
      allowOrigin: ["ignored"],
    },
    {
      origins: [{ type: "exact", value: "https://a" }, { type: "regex", value: "https://.*" }, { type: "present" }],
    },
  ],
  ["knows origins by texts", { allowOrigin: ["*"] }, { origins: [{ type: "exact", value: "*" }] }],
  [
    "lists what is allowed",
    { allowMethods: ["GET"], allowHeaders: ["x-a"], exposeHeaders: ["x-b"], maxAge: { seconds: 60n } },
    { methods: ["GET"], headers: ["x-a"], exposedHeaders: ["x-b"], maxAgeSeconds: 60n },
  ],
  ["may forbid cookies", { allowCredentials: false }, { credentials: false }],
  [
    "keeps preflights of others from the service",
    { unmatchedPreflights: Unmatched.IGNORE },
    { forwardsUnmatched: false },
  ],
  ["lets preflights of others through", { unmatchedPreflights: Unmatched.FORWARD }, {}],
])("a policy %s", (_, init, expected) => {
  expect(corsPolicyOf(create(CorsPolicySchema, init))).toEqual(fakeCorsPolicy(expected));
});
