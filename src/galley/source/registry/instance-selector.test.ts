import { expect, test } from "vitest";
import { parseInstanceSelector } from "./instance-selector.ts";

const prod = { address: "10.9.1.1", labels: { env: "prod", tier: "" } };
const edge = { address: "fd00::1", labels: { tier: "edge" } };
const named = { address: "vm.shop", labels: {} };

test.each([
  ["env=prod", [prod]],
  ["env!=prod", [edge, named]],
  ["env", [prod]],
  ["!env", [edge, named]],
  ["tier=", [prod]],
  ["-10.9.0.0/16", [edge, named]],
  ["-fd00::1", [prod, named]],
  ["env=prod,-10.9.0.0/16", []],
  ["env=prod|tier=edge", [prod, edge]],
  ["!tier;cart.shop:env=prod", [prod]],
  ["env=prod;other.shop:!tier", [prod]],
  ["other.shop:!tier", [prod, edge, named]],
])("%s selects the instances of cart.shop that it describes", (text, selected) => {
  const selector = parseInstanceSelector(text);
  expect([prod, edge, named].filter((instance) => selector?.("cart.shop", instance))).toEqual(selected);
});

test.each(["", "a key", "env=prod,,x", "!env=prod", "-10.9.0.0/99", "-vm.shop", "env=no value"])(
  "%j is an invalid selector",
  (text) => {
    expect(parseInstanceSelector(text)).toBeUndefined();
  },
);
