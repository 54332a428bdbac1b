import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../testing/random/seed.ts";
import { kinds } from "../kinds.ts";
import { type ParsedFile, parseConfigs } from "./parse.ts";

function parse(text: string, previous?: ParsedFile): ParsedFile {
  return parseConfigs({ text, previous, file: "mesh/a.yaml", source: "file:mesh", kinds, defaultNamespace: "default" });
}

function rule(name: string, spec = "{host: reviews}"): string {
  const head = "apiVersion: networking.istio.io/v1\nkind: DestinationRule";
  return `${head}\nmetadata:\n  name: ${name}\nspec: ${spec}\n`;
}

/** All results of a parsed file. */
function plain({ configs, issues, broken, unidentified }: ParsedFile) {
  const places = configs.map(({ origin }) => ["", "metadata.name", "spec.host"].map((path) => origin.locate(path)));
  const contents = configs.map(({ origin, ...config }) => ({ ...config, reference: origin.reference }));
  return { contents, places, issues, broken, unidentified };
}

describe("a file that is read again", () => {
  const documents = [
    rule("a"),
    rule("b", "{hots: x}"),
    `apiVersion: v1\nkind: List\nitems:\n- ${rule("c").replaceAll("\n", "\n  ")}\n`,
    "c: [\n",
  ];
  const before = parse(["", ...documents].join("---\n"));

  test("gives the same result as a first read, wherever its documents moved", () => {
    const document = fc.constantFrom(...documents, rule("d"), "# text\n");
    fc.assert(
      fc.property(fc.array(fc.array(document, { maxLength: 5 }), { minLength: 1, maxLength: 4 }), (versions) => {
        let previous = before;
        for (const version of versions) {
          const text = version.join("---\n");
          previous = parse(text, previous);
          expect(plain(previous)).toEqual(plain(parse(text)));
        }
      }),
      { seed, numRuns: runs(50) },
    );
  });

  test("does not read unchanged documents again", () => {
    const again = parse(`${rule("z")}---\n${documents.join("---\n")}`, before);
    const specs = new Map(before.configs.map(({ name, spec }) => [name, spec]));
    const kept = again.configs.filter(({ name }) => specs.has(name));
    expect(kept.map(({ name }) => name)).toEqual(["a", "c"]);
    for (const { name, spec } of kept) expect(spec).toBe(specs.get(name));
  });
});
