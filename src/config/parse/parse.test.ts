import { describe, expect, test } from "vitest";
import { kinds } from "../kinds.ts";
import { type ParsedFile, type ParseInput, parseConfigs } from "./parse.ts";

function parse(text: string, options: Partial<Pick<ParseInput, "kinds">> = {}): ParsedFile {
  return parseConfigs({
    text,
    file: "mesh/a.yaml",
    source: "file:mesh",
    kinds,
    defaultNamespace: "default",
    ...options,
  });
}

function rule(name: string, spec = "{host: reviews}", metadata = ""): string {
  const head = "apiVersion: networking.istio.io/v1\nkind: DestinationRule";
  return `${head}\nmetadata:\n  name: ${name}\n${metadata}spec: ${spec}\n`;
}

const versionOf = (text: string): string | undefined => parse(text).configs[0]?.version;

describe("parseConfigs", () => {
  test("an object carries its identity, its content and its origin", () => {
    const metadata =
      "  namespace: shop\n  labels: {team: a}\n  annotations: {note: x}\n  creationTimestamp: 1970-01-01T00:00:01Z\n";
    const { configs, issues, broken } = parse(`# text\n---\n${rule("reviews", "{host: reviews}", metadata)}`);
    expect({ issues, broken }).toEqual({ issues: [], broken: new Set() });
    expect(configs).toMatchObject([
      {
        kind: "DestinationRule",
        apiVersion: "networking.istio.io/v1",
        namespace: "shop",
        name: "reviews",
        labels: { team: "a" },
        annotations: { note: "x" },
        createdAt: 1000,
        origin: { source: "file:mesh", reference: "mesh/a.yaml:3" },
        spec: { $typeName: "istio.networking.v1alpha3.DestinationRule", host: "reviews" },
      },
    ]);
    expect(configs[0]?.origin.locate("spec.host")).toEqual({ file: "mesh/a.yaml", line: 11, column: 8 });
  });

  test("an object without namespace gets the default one; a cluster-wide kind has none", () => {
    const mesh =
      "apiVersion: mesh.istio.io/v1alpha1\nkind: MeshConfig\nmetadata: {name: mesh, namespace: shop}\nspec: {}\n";
    const { configs } = parse(`${rule("reviews")}---\n${mesh}`);
    expect(configs.map(({ namespace }) => namespace)).toEqual(["default", ""]);
  });

  test("every version of a kind is read with the same meaning", () => {
    const texts = ["v1", "v1beta1", "v1alpha3"].map((version) => rule("a").replace("io/v1", `io/${version}`));
    expect(new Set(texts.map(versionOf)).size).toBe(1);
  });

  test("the version depends on the content, not on its format or place", () => {
    const base = versionOf(rule("a", "{host: a, exportTo: ['*'], trafficPolicy: {tls: {mode: SIMPLE}}}"));
    expect(versionOf(`---\n\n${rule("a", "{trafficPolicy: {tls: {mode: 1}}, export_to: ['*'], host: a}")}`)).toBe(base);
    expect(versionOf(rule("a", "{host: b, exportTo: ['*'], trafficPolicy: {tls: {mode: SIMPLE}}}"))).not.toBe(base);
    expect(versionOf(rule("b", "{host: a, exportTo: ['*'], trafficPolicy: {tls: {mode: SIMPLE}}}"))).not.toBe(base);
    expect(base).toMatch(/^[\da-f]{16}$/u);
  });

  test("labels and annotations are part of the version", () => {
    const versions = ["", "  labels: {a: b}\n", "  annotations: {a: b}\n"].map((metadata) =>
      versionOf(rule("a", "{host: a}", metadata)),
    );
    expect(new Set(versions).size).toBe(3);
  });

  test("the later of two definitions in one file wins, and both lines are named", () => {
    const { configs, issues } = parse(
      `${rule("a", "{host: first}")}---\n${rule("b")}---\n${rule("a", "{host: last}")}`,
    );
    expect(configs.map(({ name, spec }) => [name, spec])).toMatchObject([
      ["b", { host: "reviews" }],
      ["a", { host: "last" }],
    ]);
    expect(issues).toMatchObject([
      {
        severity: "warning",
        code: "duplicate-object",
        object: "DestinationRule default/a",
        message: "defined twice: mesh/a.yaml:13 wins over mesh/a.yaml:1",
        place: { line: 16 },
      },
    ]);
  });

  test("a broken second definition does not remove the first", () => {
    const { configs, broken } = parse(`${rule("a")}---\n${rule("a", "{hots: x}")}`);
    expect(configs.map(({ name }) => name)).toEqual(["a"]);
    expect([...broken]).toEqual(["DestinationRule/default/a"]);
  });

  test("issues name the object and have the place of the field", () => {
    const { issues } = parse(rule("a", "\n  host: reviews\n  exportTo:\n    - '*'\n    - Shop"));
    expect(issues).toMatchObject([
      {
        object: "DestinationRule default/a",
        path: "spec.exportTo[1]",
        code: "bad-export-to",
        place: { line: 9, column: 7 },
      },
      {
        object: "DestinationRule default/a",
        path: "spec.exportTo",
        code: "bad-export-to",
        place: { line: 7, column: 3 },
      },
    ]);
  });

  test("foreign kinds are ignored with a warning, kinds that were not requested without one; neither is broken", () => {
    const text = `${rule("a")}---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\n`;
    const { configs, issues, broken } = parse(text, { kinds: kinds.filter(({ kind }) => kind !== "DestinationRule") });
    expect({ configs, broken }).toEqual({ configs: [], broken: new Set() });
    expect(issues).toMatchObject([{ severity: "warning", code: "ignored-kind", place: { line: 8 } }]);
  });

  test("an object of another kind may have any metadata, also fields that every object inherits", () => {
    const { issues } = parse("apiVersion: x/v1\nkind: Foo\nmetadata: {name: {toString: 1}, namespace: a}\n");
    expect(issues).toMatchObject([{ code: "ignored-kind", object: "Foo a/" }]);
  });

  test("a kind of the same name in another group is not ours", () => {
    const { issues } = parse(
      "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec: {}\n",
    );
    expect(issues.map(({ code }) => code)).toEqual(["unsupported-kind"]);
  });

  test.each([
    ["no kind", "apiVersion: networking.istio.io/v1\nmetadata: {name: a}\n", "missing-kind"],
    ["no apiVersion", "kind: Gateway\nmetadata: {name: a}\n", "missing-kind"],
    ["labels that are no mapping", rule("a", "{host: a}", "  labels: [x]\n"), "wrong-type"],
    ["a label that is a number", rule("a", "{host: a}", "  labels: {version: 1}\n"), "wrong-type"],
    ["an annotation that is a number", rule("a", "{host: a}", "  annotations: {weight: 1}\n"), "wrong-type"],
    ["a namespace that cannot be", rule("a", "{host: a}", "  namespace: Shop\n"), "bad-namespace"],
    ["a name that is a number", rule("7"), "bad-name"],
  ])("%s is an error", (_, text, code) => {
    const { configs, issues, broken, unidentified } = parse(text);
    expect(configs).toEqual([]);
    expect(issues.map((issue) => issue.code)).toEqual([code]);
    expect(broken.size + Number(unidentified)).toBe(1);
  });
});

describe("large numbers of issues", () => {
  const many = 5000;

  test("of one object are listed up to a limit, errors before warnings, and the rest is counted", () => {
    const fields = Array.from({ length: many }, (_, index) => `  f${index}: 1\n`).join("");
    const text = `apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec:\n${fields}`;
    const { issues } = parse(text);
    expect(issues).toHaveLength(101);
    expect(issues[99]).toMatchObject({ code: "unknown-field", path: "spec.f99", place: { line: 104 } });
    const message = "4900 more issues are not listed";
    expect(issues.at(-1)).toMatchObject({ code: "more-issues", severity: "error", message, place: { line: 1 } });
  });

  test("of one file are listed up to a limit, and the rest is counted", () => {
    const { issues, broken } = parse("kind: Nothing\n---\n".repeat(many));
    expect(issues).toHaveLength(1001);
    expect(issues.at(-1)).toMatchObject({ code: "more-issues", severity: "error", place: { line: 2001 } });
    expect(broken.size).toBe(0);
  });
});
