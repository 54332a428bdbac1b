import { expect, test } from "vitest";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { kinds } from "../kinds.ts";
import { toYaml } from "../yaml/to-yaml.ts";
import { type ParsedFile, parseConfigs } from "./parse.ts";

const services = 20;

function entry(name: string, spec: object): object {
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata: { name }, spec };
}

const valid = { hosts: ["a.example.com"], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" };

function fileOf(print: (object: object) => string, ...others: readonly object[]): string {
  const objects = Array.from({ length: services }, (_, index) => entry(`service-${index}`, valid));
  return [...objects, ...others].map(print).join("\n---\n");
}

function parse(text: string): ParsedFile {
  return parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
}

/** The documents that were parsed into nodes with positions while `act` ran. */
function documentsWithPositions(act: () => void): Promise<number> {
  return functionCalls(
    (url) => url.endsWith("/src/config/yaml/compose.ts"),
    act,
    (name) => name === "compose",
  );
}

test.each([
  ["JSON", (object: object) => JSON.stringify(object)],
  ["block style", toYaml],
])("no document in %s is parsed with positions while there is no issue", async (_, print) => {
  const text = fileOf(print);
  expect(parse(text)).toMatchObject({ configs: { length: services }, issues: [] });
  expect(await documentsWithPositions(() => parse(text))).toBe(0);
});

test("only a document with an issue is parsed with positions, and once", async () => {
  const text = fileOf(toYaml, entry("bad", { ...valid, resolution: "NOWHERE", more: 1 }));
  expect(parse(text).issues.map(({ place }) => place?.line)).toEqual([272, 273]);
  expect(await documentsWithPositions(() => parse(text))).toBe(1);
});

test("defining every object twice parses no document with positions", async () => {
  const text = `${fileOf(toYaml)}\n---\n${fileOf(toYaml)}`;
  expect(parse(text).issues).toHaveLength(services);
  expect(await documentsWithPositions(() => parse(text))).toBe(0);
});
