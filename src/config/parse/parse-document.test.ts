import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { kinds } from "../kinds.ts";
import { type ParsedFile, parseConfigs } from "./parse.ts";

function parse(text: string, table = kinds): ParsedFile {
  return parseConfigs({ text, file: "mesh/a.yaml", source: "file:mesh", kinds: table, defaultNamespace: "default" });
}

function rule(name: string, spec = "{host: reviews}", metadata = ""): string {
  const head = "apiVersion: networking.istio.io/v1\nkind: DestinationRule";
  return `${head}\nmetadata:\n  name: ${name}\n${metadata}spec: ${spec}\n`;
}

/** A rule as an item of a List. */
function item(name: string, host: string): string {
  const head = "  - apiVersion: networking.istio.io/v1\n    kind: DestinationRule";
  return `${head}\n    metadata: {name: ${name}}\n    spec:\n      host: ${host}\n`;
}

function list(...items: readonly string[]): string {
  return `apiVersion: v1\nkind: List\nitems:\n${items.join("")}`;
}

describe("a list", () => {
  test("has items with their own places", () => {
    const { configs, issues, broken } = parse(list(item("a", "a"), item("b", "'-'"), item("c", "c")));
    expect(configs.map(({ name, origin }) => [name, origin.reference])).toEqual([
      ["a", "mesh/a.yaml:4"],
      ["c", "mesh/a.yaml:14"],
    ]);
    expect(configs[1]?.origin.locate("spec.host")).toEqual({ file: "mesh/a.yaml", line: 18, column: 7 });
    expect(issues).toMatchObject([{ object: "DestinationRule default/b", path: "spec.host", place: { line: 13 } }]);
    expect([...broken]).toEqual(["DestinationRule/default/b"]);
  });

  test.each([
    ["a quote without end", '"b'],
    ["a bracket without end", "[b"],
    ["a tab", "\n\t  b"],
    ["a duplicate key", "b\n      host: b"],
  ])("with %s in one item keeps the others", (_, host) => {
    const { configs, broken, unidentified } = parse(list(item("a", "a"), item("b", host), item("c", "c")));
    expect(configs.map(({ name }) => name)).toEqual(["a", "c"]);
    expect([...broken]).toEqual(["DestinationRule/default/b"]);
    expect(unidentified).toBe(false);
  });

  test("in brackets, or with anchors, is still read, with the same places", () => {
    const anchored = list(item("a", "&host a"), item("b", "*host"));
    expect(parse(anchored).configs.map(({ origin }) => origin.locate("spec")?.line)).toEqual([7, 12]);
    const json = JSON.stringify({ apiVersion: "v1", kind: "List", items: parseYaml(anchored).items });
    expect(parse(json).configs.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("that cannot be split and has an error may have lost any of its items", () => {
    const { configs, broken, unidentified } = parse(list(item("a", "&host a"), item("b", '"b')));
    expect({ configs, unidentified }).toEqual({ configs: [], unidentified: true });
    expect([...broken]).toContain("DestinationRule/default/a");
  });

  test("of one kind, as the API server writes it, need not repeat the kind", () => {
    const { configs, issues } = parse(
      "apiVersion: networking.istio.io/v1\nkind: DestinationRuleList\nitems:\n- {metadata: {name: a}, spec: {host: a}}\n",
    );
    expect(issues).toEqual([]);
    expect(configs).toMatchObject([{ kind: "DestinationRule", name: "a", origin: { reference: "mesh/a.yaml:4" } }]);
  });

  test("may hold lists", () => {
    const inner = JSON.stringify({ kind: "List", apiVersion: "v1", items: [parseYaml(rule("a"))] });
    expect(parse(list(`  - ${inner}\n`, item("b", "b"))).configs.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test.each([
    ["without items", "apiVersion: v1\nkind: List\n"],
    ["with items cut off", list()],
    ["with items that are no sequence", "apiVersion: v1\nkind: List\nitems: {}\n"],
  ])("%s is an error: its items may be missing", (_, text) => {
    const { issues, unidentified } = parse(text);
    expect(issues).toMatchObject([{ severity: "error", code: "wrong-type", object: "List" }]);
    expect(unidentified).toBe(true);
  });

  test("may be empty", () => {
    expect(parse("apiVersion: v1\nkind: List\nitems: []\n")).toMatchObject({ issues: [], unidentified: false });
  });

  test("with an empty item reports it at that item", () => {
    const { configs, issues } = parse(list(item("a", "a"), "  -\n"));
    expect(configs.map(({ name }) => name)).toEqual(["a"]);
    expect(issues).toMatchObject([{ code: "missing-kind", place: { line: 9 } }]);
  });
});

describe("the identity of a broken document", () => {
  const whole = rule("reviews", "{host: reviews, exportTo: ['*']}", "  namespace: shop\n");
  const id = "DestinationRule/shop/reviews";

  test("is never wrong, even if the text is cut off", () => {
    for (let length = 0; length <= whole.length; length += 1) {
      const { configs, broken, unidentified } = parse(whole.slice(0, length));
      const ids = configs.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`);
      const isBlank = length === 0;
      expect([length, new Set([...ids, ...broken]).isSubsetOf(new Set([id]))]).toEqual([length, true]);
      expect([length, ids.length + broken.size > 0 || unidentified]).toEqual([length, !isBlank]);
    }
  });

  test("is known for a misspelt kind, which is an error with a suggestion", () => {
    const { issues, broken } = parse(whole.replace("kind: DestinationRule", "kind: DestinatonRule"));
    expect(issues).toMatchObject([{ severity: "error", code: "unknown-kind", hint: "did you mean DestinationRule?" }]);
    expect([...broken]).toEqual([id]);
  });

  test.each([
    ["networking.istio.io/v1", "RateLimit MeshExpansion", "unknown-kind"],
    ["v1", "ServiceAccount PersistentVolumeClaim ReplicationController ResourceQuota PodTemplate", "ignored-kind"],
  ])("does not matter for foreign kinds of %s: %s", (apiVersion, others, code) => {
    const taken =
      "ServiceEntry WorkloadEntry VirtualService DestinationRule Gateway Sidecar Service Endpoints Pod Node";
    const table = kinds.filter(({ kind }) => taken.split(" ").includes(kind));
    for (const kind of others.split(" ")) {
      const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n`;
      const { issues, broken, unidentified } = parse(text, table);
      expect(issues).toMatchObject([{ severity: "warning", code }]);
      expect({ broken, unidentified }).toEqual({ broken: new Set(), unidentified: false });
    }
  });

  test.each([
    ["has a name that cannot be", whole.replace("name: reviews", "name: Reviews")],
    ["lost the marker before the next", `${whole}${rule("ratings")}`],
    ["has no spec", whole.replace(/^spec.*$/mu, "")],
    ["is of an unknown kind of our group and has no name", "apiVersion: networking.istio.io/v1\nkind: Destina\n"],
  ])("is unknown when it %s", (_, text) => {
    const { configs, broken, unidentified } = parse(text);
    expect({ configs, broken, unidentified }).toEqual({ configs: [], broken: new Set(), unidentified: true });
  });

  test("does not matter when a later document has the object", () => {
    const { configs, broken } = parse(`${rule("a", "{hots: x}")}---\n${rule("a")}`);
    expect(configs.map(({ name }) => name)).toEqual(["a"]);
    expect([...broken]).toEqual([]);
  });
});
