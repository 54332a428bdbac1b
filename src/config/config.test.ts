import { expect, test } from "vitest";
import { configIn } from "../testing/config/configs-in.ts";
import { fakeConfig } from "../testing/config/fake-config.ts";
import { type Config, isSameConfig, type Origin, originIn } from "./config.ts";

const text = `
apiVersion: v1
kind: Namespace
metadata:
  name: shop
`;

function read(written: string, source = "file:mesh", file = "mesh/a.yaml"): Config {
  return configIn(written, { file, source });
}

test("an object that is read again from the same text is the same", () => {
  expect(isSameConfig(read(text), read(text))).toBe(true);
});

test.each([
  ["has other content", read(text.replace("shop", "other"))],
  ["is on another line", read(`\n${text}`)],
  ["is in another file", read(text, "file:mesh", "mesh/b.yaml")],
  ["comes from another source", read(text, "file:other")],
  ["has its fields on other lines", read(text.replace("metadata:", "# comment\nmetadata:"))],
])("an object that %s is another", (_how, other) => {
  expect(isSameConfig(read(text), other)).toBe(false);
});

test("objects without a source text differ by content and origin", () => {
  const origin: Origin = { source: "zookeeper", reference: "/dubbo/cart", locate: () => undefined };
  const config = { ...read(text), origin };
  expect(isSameConfig(config, { ...config, origin: { ...origin } })).toBe(true);
  expect(isSameConfig(config, { ...config, origin: { ...origin, reference: "/dubbo/shop" } })).toBe(false);
});

test("the origin of an object, and of the first of a list, is found", () => {
  const config = fakeConfig({ name: "reviews", line: 7 });
  expect(originIn(config)?.reference).toBe("a.yaml:7");
  expect(originIn([config, fakeConfig({ name: "ratings" })])?.reference).toBe("a.yaml:7");
});

test.each([undefined, null, "text", 7, [], [1], {}, { origin: "here" }, { origin: { reference: "here" } }])(
  "%j has no origin",
  (value) => {
    expect(originIn(value)).toBeUndefined();
  },
);
