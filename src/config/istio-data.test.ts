import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { describeWithData, istioData } from "../testing/shared-data.ts";
import { isRefused } from "./finding.ts";
import { kinds } from "./kinds.ts";
import { parseMeshConfig } from "./parse/mesh-files.ts";
import { parseConfigs } from "./parse/parse.ts";
import type { ParsedObject } from "./parse/parse-object.ts";

const read = (file: string): string => readFileSync(join(istioData, file), "utf8");

/** Documents of the invalid set contain Istio's error in a separate field. */
const parse = (file: string): ReturnType<typeof parseConfigs> => {
  const text = read(file).replaceAll(/^_err:.*$/gmu, "#");
  return parseConfigs({ text, file, source: "test", kinds, defaultNamespace: "default" });
};

/** Every object of a file, with its parse result. */
function objectsIn(file: string): readonly ParsedObject[] {
  return parse(file).documents.flatMap(({ objects }) => objects);
}

/** A VirtualService without hosts was an error in Istio 1.5. Since delegates exist, it is a delegate. */
function isDelegate({ kind, spec }: { readonly kind: string; readonly spec: unknown }): boolean {
  return kind === "VirtualService" && (spec as VirtualService).hosts.length === 0;
}

/** Compares with Istio, to find false alarms and missed errors. */
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

  test.each(valid)("%s: all that Istio accepts is accepted, and none of it passed over", (file) => {
    const errors = parse(file).issues.filter((issue) => isRefused([issue]));
    expect(errors).toEqual([]);
    const unread = objectsIn(file).filter(({ config }) => config === undefined);
    const notes = unread.flatMap(({ issues }) => issues.map(({ message }) => message));
    expect(notes.filter((message) => message.includes(".istio.io"))).toEqual([]);
  });

  test("the accepted files hold objects of every kind that Istio has today", () => {
    const found = new Set(valid.flatMap((file) => parse(file).configs.map(({ kind }) => kind)));
    const today = /^(?:networking|security|telemetry)\.istio\.io$/u;
    const missing = kinds.filter(({ group, kind }) => today.test(group) && !found.has(kind));
    expect(missing).toEqual([]);
  });

  test.each(globSync("networking/*/mesh.yaml", { cwd: istioData }))(
    "%s is accepted as a mesh configuration",
    (file) => {
      const { config, issues } = parseMeshConfig({ text: read(file), file, source: "test" });
      expect(config).toBeDefined();
      expect(issues.map(({ code }) => code)).toEqual(["removed-field", "removed-field"]);
    },
  );

  const invalid = globSync("{,galley-}validation/*-invalid.yaml", { cwd: istioData }).toSorted();

  test.each(invalid)("%s: nothing Istio refuses is accepted", (file) => {
    const accepted = objectsIn(file).filter(({ broken }) => !broken);
    expect(accepted.filter(({ config }) => config === undefined || !isDelegate(config))).toEqual([]);
  });
});
