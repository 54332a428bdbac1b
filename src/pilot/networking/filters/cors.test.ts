import { AnySchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fakeCorsPolicy } from "../../../testing/model/traffic.ts";
import type { CorsPolicy } from "../../model/traffic/virtual-service.ts";
import { corsConfig } from "./cors.ts";

const writer = new ProtoWriter();
const always = { filterEnabled: { defaultValue: { numerator: 100 } }, forwardNotMatchingPreflights: true };

test.each<[string, Partial<CorsPolicy>, object]>([
  ["nothing", {}, {}],
  [
    "origins",
    {
      origins: [
        { type: "exact", value: "https://a" },
        { type: "prefix", value: "https://b" },
        { type: "regex", value: "https://c.*" },
        { type: "present" },
      ],
    },
    {
      allowOriginStringMatch: [
        { exact: "https://a" },
        { prefix: "https://b" },
        { safeRegex: { regex: "https://c.*" } },
        { safeRegex: { regex: ".*" } },
      ],
    },
  ],
  [
    "lists",
    { methods: ["GET", "POST"], headers: ["x-a", "x-b"], exposedHeaders: ["x-c"] },
    { allowMethods: "GET,POST", allowHeaders: "x-a,x-b", exposeHeaders: "x-c" },
  ],
  ["a time to remember", { maxAgeSeconds: 86_400n }, { maxAge: "86400" }],
  ["no time to remember", { maxAgeSeconds: 0n }, { maxAge: "0" }],
  ["no cookies", { credentials: false }, { allowCredentials: false }],
  ["others kept from the service", { forwardsUnmatched: false }, { forwardNotMatchingPreflights: false }],
])("%s", (_, changes, expected) => {
  expect(decodedMessage(AnySchema, corsConfig(fakeCorsPolicy(changes), writer))).toEqual({
    "@type": "type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy",
    ...always,
    ...expected,
  });
});

test("a policy is encoded once for all routes that have it", () => {
  const policy = fakeCorsPolicy();
  expect(corsConfig(policy, writer)).toBe(corsConfig(policy, writer));
});
