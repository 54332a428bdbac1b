import { expect, test } from "vitest";
import { travelling } from "../../testing/mcp/mcp-object.ts";
import { gateways } from "../../testing/mcp/mcp-source-rig.ts";
import { readOwnAnnotations, withOwnAnnotations } from "./own-annotations.ts";

const { kind } = travelling(gateways);
const origin = { source: "file:mesh", reference: "mesh/a.yaml:3", locate: () => undefined };
const config = { annotations: { note: "x" }, origin } as unknown as Parameters<typeof withOwnAnnotations>[0];
const preferred = readOwnAnnotations({}, kind).apiVersion;

test("an object travels with its origin, and with its API version if that is not the preferred one", () => {
  expect(withOwnAnnotations({ ...config, apiVersion: preferred }, kind)).toEqual({
    note: "x",
    "binnacle.io/origin": "mesh/a.yaml:3",
  });
  expect(withOwnAnnotations({ ...config, apiVersion: "networking.istio.io/v1beta1" }, kind)).toEqual({
    note: "x",
    "binnacle.io/origin": "mesh/a.yaml:3",
    "binnacle.io/api-version": "networking.istio.io/v1beta1",
  });
});

test("a foreign object has the preferred version, and no origin", () => {
  expect(readOwnAnnotations({ note: "x" }, kind)).toEqual({
    annotations: { note: "x" },
    apiVersion: preferred,
    reference: undefined,
  });
});
