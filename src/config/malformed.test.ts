import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { kinds } from "./kinds.ts";
import { type ParsedFile, parseConfigs } from "./parse/parse.ts";

const folder = new URL("../../test/scenarios/malformed/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

/**
 * `line code` of every `# <-- HERE: code` in a file: exactly the issues that it must yield. Processing adds
 * `unusable-policy` later, so parsing does not yield it.
 */
function expectedIssues(text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const code = /# <-- HERE: (?<code>\S+)/u.exec(line)?.groups?.["code"];
    return code === undefined || code === "unusable-policy" ? [] : [`${index + 1} ${code}`];
  });
}

function parse(file: string): { readonly text: string; readonly parsed: ParsedFile } {
  const text = readFileSync(new URL(file, folder), "utf8");
  return { text, parsed: parseConfigs({ text, file, source: "test", kinds, defaultNamespace: "default" }) };
}

describe("malformed documents", () => {
  test("at least twenty kinds of mistakes are covered", () => {
    expect(files.length).toBeGreaterThanOrEqual(20);
  });

  test.each(files)("%s: exactly the marked places are reported", (file) => {
    const { text, parsed } = parse(file);
    const reported = parsed.issues.map(({ place, code }) => `${place?.line} ${code}`);
    expect(reported.toSorted()).toEqual(expectedIssues(text).toSorted());
  });

  test.each(files)("%s: the good objects before and after are read", (file) => {
    const names = parse(file).parsed.configs.map(({ name }) => name);
    expect(names.at(0)).toBe("before");
    expect(names.at(-1)).toBe("after");
  });

  test.each(files)("%s: an error yields no config, but an entry in broken", (file) => {
    const { parsed } = parse(file);
    const errors = parsed.issues.filter(({ severity }) => severity === "error");
    expect(parsed.broken.size > 0 || parsed.unidentified).toBe(errors.length > 0);
    expect(parsed.configs.map(({ name }) => name)).not.toContain("reviews");
  });

  test("a syntax error does not hide the identity of the object", () => {
    for (const file of [
      "01-tab-indentation.yaml",
      "02-unclosed-quote.yaml",
      "04-duplicate-key.yaml",
      "28-recursive-alias.yaml",
    ]) {
      expect(parse(file).parsed).toMatchObject({ unidentified: false });
      expect([...parse(file).parsed.broken]).toEqual(["DestinationRule/shop/reviews"]);
    }
  });

  test("a misspelt field comes with a suggestion", () => {
    const { issues } = parse("06-misspelt-field.yaml").parsed;
    expect(issues.map(({ hint }) => hint)).toEqual(['did you mean "destination"?']);
  });
});
