import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { clusterService } from "../testing/config/fake-cluster-service.ts";
import { configOf } from "../testing/config/fake-config.ts";
import { appliedVersion } from "./applied-version.ts";
import { apiVersionOf } from "./kind.ts";
import { kinds } from "./kinds.ts";
import { hasMessage, specJson } from "./spec-json.ts";

test.each(kinds)("a $kind has the JSON of its message, or of a plain spec", (row) => {
  const identity = { apiVersion: apiVersionOf(row) };
  const message = configOf(row.kind, "object", create(row.schema), identity);
  expect([hasMessage(message, row.schema), JSON.stringify(specJson(message, row.schema))]).toEqual([
    true,
    expect.not.stringContaining("$typeName"),
  ]);
  expect(appliedVersion(message)).not.toBe(message.version);
  const { spec } = clusterService();
  const plain = configOf(row.kind, "object", spec, identity);
  expect([hasMessage(plain, row.schema), specJson(plain, row.schema)]).toEqual([
    false,
    JSON.parse(JSON.stringify(spec)),
  ]);
  expect(appliedVersion(plain)).toBe(plain.version);
});

test("an object without a kind has the JSON of its plain spec", () => {
  expect(specJson(clusterService(), undefined)).toMatchObject({ hostname: "cart.shop", ports: [{ number: 80 }] });
});
