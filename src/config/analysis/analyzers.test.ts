import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inputFrom } from "../../testing/config/analysis-input.ts";
import { describeWithData, istioData } from "../../testing/shared-data.ts";
import { analyze } from "./analyze.ts";
import { analyzers } from "./analyzers.ts";
import { subjectText } from "./message.ts";

interface Case {
  readonly name: string;
  readonly analyzer: string;
  readonly files: readonly string[];
  readonly meshConfig: string | null;
  readonly expected: readonly (readonly [code: string, level: string, name: string, origin: string])[];
}

const folder = join(istioData, "analyzers");

/** A time at which the certificates of the cases are valid. */
const now = Date.parse("2026-09-01");

/** Cases that need kinds which we do not support. */
const outOfScope = new Set(["virtualServiceKubernetesGateways"]);

describeWithData(join(folder, "cases.json"), "Istio's cases", () => {
  const { cases } = JSON.parse(readFileSync(join(folder, "cases.json"), "utf8")) as { readonly cases: readonly Case[] };

  test.each(cases.filter(({ name }) => !outOfScope.has(name)))(
    "$analyzer: $name",
    ({ analyzer, files, meshConfig, expected }) => {
      const texts = files.map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
      const mesh = meshConfig === null ? "" : readFileSync(join(folder, meshConfig.replace("testdata/", "")), "utf8");
      const input = inputFrom(texts, { mesh, defaultNamespace: "", now });
      const { messages, skipped } = analyze(
        analyzers.filter(({ name }) => name === analyzer),
        input,
      );
      expect(skipped).toEqual([]);
      const found = messages.map((message) => [
        message.type.code,
        message.type.level,
        message.type.name,
        subjectText(message),
      ]);
      expect(found.map(String).toSorted()).toEqual(expected.map(String).toSorted());
    },
  );
});

function bookinfo(file: string) {
  return { file, text: readFileSync(join(istioData, "bookinfo", file), "utf8") };
}

/** `CODE text` of all findings in files of the example. */
function findings(...files: readonly string[]): readonly string[] {
  const { messages } = analyze(analyzers, inputFrom(files.map(bookinfo)));
  return messages.map(({ type, text }) => `${type.code} ${text}`);
}

describeWithData(join(istioData, "bookinfo"), "Istio's example", () => {
  test("has no findings", () => {
    const routes = ["networking/bookinfo-gateway.yaml", "networking/destination-rule-reviews.yaml"];
    expect(findings("platform/bookinfo.yaml")).toEqual([]);
    expect(findings("platform/bookinfo.yaml", ...routes, "networking/virtual-service-reviews-80-20.yaml")).toEqual([]);
  });

  test("has subsets for versions that are deployed by other files", () => {
    expect(findings("platform/bookinfo.yaml", "networking/destination-rule-all.yaml")).toEqual([
      "IST0173 the subset v2 selects no workload",
      "IST0173 the subset v2 selects no workload",
      "IST0173 the subset v2-mysql selects no workload",
      "IST0173 the subset v2-mysql-vm selects no workload",
    ]);
  });
});
