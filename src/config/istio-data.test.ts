import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithData, istioData } from "../testing/shared-data.ts";
import { kinds } from "./kinds.ts";
import { parseMeshConfig } from "./mesh-config.ts";
import { parseConfigs } from "./parse.ts";

const read = (file: string): string => readFileSync(join(istioData, file), "utf8");

/** Documents of the invalid set carry what Istio says about them in a field of their own. */
const parse = (file: string): ReturnType<typeof parseConfigs> => {
  const text = read(file).replaceAll(/^_err:.*$/gmu, "#");
  return parseConfigs({ text, file, source: "test", kinds, defaultNamespace: "default" });
};

/** An oracle against false alarms. */
describeWithData(istioData, "Istio's data", () => {
  const valid = globSync(
    [
      "validation/*-valid.yaml",
      "galley-validation/*-valid.yaml",
      "config/*.yaml",
      "bookinfo/**/*.yaml",
      "networking/*/configs.yaml",
    ],
    { cwd: istioData },
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

  test.each(globSync("networking/*/mesh.yaml", { cwd: istioData }))(
    "%s is accepted as a mesh configuration",
    (file) => {
      const { config, issues } = parseMeshConfig({ text: read(file), file, source: "test" });
      expect(config).toBeDefined();
      expect(issues.map(({ code }) => code)).toEqual(["removed-field", "removed-field"]);
    },
  );

  // A VirtualService without hosts was an error to Istio 1.5; since delegates exist it is one of those.
  const invalid = globSync(["validation/*-invalid.yaml", "galley-validation/networking-*-invalid.yaml"], {
    cwd: istioData,
  })
    .filter((file) => !file.includes("VirtualService"))
    .toSorted();

  test.each(invalid)("%s: nothing Istio refuses is accepted", (file) => {
    expect(parse(file).configs.map(({ name }) => name)).toEqual([]);
  });
});
