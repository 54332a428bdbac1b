import { expect, test } from "vitest";
import { registryQuery, registrySettings } from "./registry-settings.ts";
import { parseSourceUrl, readQuery } from "./source-url.ts";

function settingsOf(query: string) {
  return registrySettings(readQuery(parseSourceUrl(`zookeeper://one/dubbo${query}`), registryQuery));
}

test("the URL of a registry sets the retention of removed services and selects instances", () => {
  const { selector, ...retention } = settingsOf(
    "?delete=delete&zombie-ttl=1h&empty-protection=on&endpoint-selectors=env=prod",
  );
  expect(retention).toEqual({ deleteMode: "delete", zombieTtlMs: 3_600_000, emptyProtection: true });
  expect(selector?.("cart.shop", { address: "10.0.0.1", labels: { env: "prod" } })).toBe(true);
  expect(selector?.("cart.shop", { address: "10.0.0.1", labels: {} })).toBe(false);
});

test("settings that the URL leaves out have the registry's defaults", () => {
  expect(settingsOf("")).toEqual({});
});

test("an invalid selector is refused", () => {
  expect(() => settingsOf("?endpoint-selectors=a b")).toThrow("expected a selector such as env=prod");
});
