import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { describeWithData, istioData } from "../testing/shared-data.ts";
import { fieldPath } from "./field-path.ts";
import { kinds } from "./kinds.ts";
import { parseConfigs } from "./parse/parse.ts";

/** The parts of a CRD schema that the test reads. */
interface OpenApi {
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly items?: OpenApi;
  readonly additionalProperties?: OpenApi;
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: OpenApi } }[];
  };
}

/** Fields that the API server accepts and we would refuse. */
function unread(schema: DescMessage, { properties = {} }: OpenApi, path: string): readonly string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const at = fieldPath(path, name);
    const field = schema.fields.find((each) => each.jsonName === name || each.name === name);
    return field === undefined ? [at] : unreadIn(field, property, at);
  });
}

function unreadIn({ message }: DescField, property: OpenApi, path: string): readonly string[] {
  if (message === undefined || message.typeName.startsWith("google.protobuf.")) return [];
  return unread(message, property.items ?? property.additionalProperties ?? property, path);
}

describeWithData(istioData, "Istio's CRDs", () => {
  const text = readFileSync(join(istioData, "crds/istio-crds.yaml"), "utf8");
  const crds = parseAllDocuments(text).map((document) => document.toJS() as Crd);

  test("are read as objects of Kubernetes", () => {
    const { configs, issues } = parseConfigs({ text, file: "crds", source: "test", kinds, defaultNamespace: "" });
    expect(issues).toEqual([]);
    expect(configs).toHaveLength(crds.length);
  });

  test.each(crds.map(({ spec }) => [spec.names.kind, spec] as const))("%s is a kind of the table", (kind, spec) => {
    const row = kinds.find((each) => each.group === spec.group && each.kind === kind);
    expect(row?.plural).toBe(spec.names.plural);
    expect(row?.scope).toBe(spec.scope === "Cluster" ? "cluster" : "namespace");
    expect(row?.versions).toEqual(expect.arrayContaining(spec.versions.map(({ name }) => name)));
  });

  test.each(crds.map(({ spec }) => [spec.names.kind, spec] as const))(
    "%s has every field that the API server accepts",
    (kind, { versions }) => {
      const row = kinds.find((each) => each.kind === kind);
      const missing = versions.flatMap(({ name, schema }) =>
        row === undefined ? [name] : unread(row.schema, schema.openAPIV3Schema.properties?.["spec"] ?? {}, ""),
      );
      expect([...new Set(missing)]).toEqual([]);
    },
  );
});
