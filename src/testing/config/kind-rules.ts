import { describe, expect, test } from "vitest";
import { kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";

/** A spec in flow YAML, and `code path` of every expected finding. Paths start behind `spec.`. */
export type RuleCase = readonly [spec: string, ...findings: string[]];

/** Runs a kind's rules over specs, one test each. Objects have the name `a` by default. */
export function describeRules(kind: string, cases: readonly RuleCase[], name = "a"): void {
  describe(`the rules of ${kind}`, () => {
    test.each(cases.map(([spec, ...expected]) => ({ spec, expected })))("$spec: $expected", ({ spec, expected }) => {
      expect(findings(kind, spec, name)).toEqual(expected);
    });
  });
}

function findings(kind: string, spec: string, name: string): readonly string[] {
  const row = kinds.find((candidate) => candidate.kind === kind);
  const text = `apiVersion: ${row?.group}/${row?.versions[0]}\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
  const { issues } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
  // Another test proves by bytes which fields have no effect.
  const own = issues.filter(({ code }) => code !== "no-effect");
  return own.map(({ code, path }) => `${code} ${path.replace(/^spec\.?/u, "")}`.trim());
}
