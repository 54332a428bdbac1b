import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { kinds } from "./kinds.ts";
import { parseMeshConfig } from "./mesh-config.ts";
import { parseConfigs } from "./parse.ts";

/** Istio's own examples and test data, where they lie beside the repository: an oracle against false alarms. */
const root = fileURLToPath(new URL("../../../shared/data/istio/", import.meta.url));

const read = (file: string): string => readFileSync(`${root}${file}`, "utf8");

/** Documents of the invalid set carry what Istio says about them in a field of their own. */
const parse = (file: string): ReturnType<typeof parseConfigs> => {
  const text = read(file).replaceAll(/^_err:.*$/gmu, "#");
  return parseConfigs({ text, file, source: "test", kinds, defaultNamespace: "default" });
};

describe.skipIf(!existsSync(root))("Istio's data", () => {
  const valid = globSync(
    [
      "validation/*-valid.yaml",
      "galley-validation/*-valid.yaml",
      "config/*.yaml",
      "bookinfo/**/*.yaml",
      "networking/*/configs.yaml",
    ],
    { cwd: root },
  ).toSorted();

  test.each(valid)("%s is accepted", (file) => {
    const errors = parse(file).issues.filter(({ severity }) => severity === "error");
    expect(errors).toEqual([]);
  });

  test("the accepted files hold objects of every networking kind", () => {
    const found = new Set(valid.flatMap((file) => parse(file).configs.map(({ kind }) => kind)));
    const networking = kinds.filter(({ group }) => group === "networking.istio.io").map(({ kind }) => kind);
    expect(networking.filter((kind) => !found.has(kind))).toEqual([]);
  });

  test.each(globSync("networking/*/mesh.yaml", { cwd: root }))("%s is accepted as a mesh configuration", (file) => {
    const { config, issues } = parseMeshConfig({ text: read(file), file, source: "test" });
    expect(config).toBeDefined();
    expect(issues.map(({ code }) => code)).toEqual(["removed-field", "removed-field"]);
  });

  // A VirtualService without hosts was an error to Istio 1.5; since delegates exist it is one of those.
  const invalid = globSync(["validation/*-invalid.yaml", "galley-validation/networking-*-invalid.yaml"], { cwd: root })
    .filter((file) => !file.includes("VirtualService"))
    .toSorted();

  test.each(invalid)("%s: nothing Istio refuses is accepted", (file) => {
    expect(parse(file).configs.map(({ name }) => name)).toEqual([]);
  });
});
