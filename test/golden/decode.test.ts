import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { loadRegistry } from "./registry.ts";

/** One resource as istiod sent it: canonical proto3 JSON with every Any opened in place. */
interface Recorded {
  readonly where: string;
  readonly typeUrl: string;
  readonly body: JsonValue;
}

interface RecordedFile {
  readonly typeUrl: string;
  readonly resources?: readonly { readonly name: string; readonly body: JsonValue }[] | null;
}

const goldens = join(import.meta.dirname, "../../../shared/data/goldens/istiod-1.29.6");
const recorded = existsSync(goldens) ? globSync("*/expect*/*/*.json", { cwd: goldens }).toSorted().flatMap(read) : [];

function read(path: string): Recorded[] {
  const file = JSON.parse(readFileSync(join(goldens, path), "utf8")) as RecordedFile;
  return (file.resources ?? []).map(({ name, body }) => ({ where: `${path} ${name}`, typeUrl: file.typeUrl, body }));
}

/** What protobuf-es finds wrong with a resource: a field or an `@type` we have no proto for. */
function problemWith({ where, typeUrl, body }: Recorded, registry: Awaited<ReturnType<typeof loadRegistry>>): string[] {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  if (schema === undefined) return [`${where}: unknown type ${typeUrl}`];
  try {
    fromJson(schema, body, { registry, ignoreUnknownFields: false });
    return [];
  } catch (error) {
    return [`${where}: ${String(error)}`];
  }
}

const place = recorded.length > 0 ? "" : " (skipped: shared/data/goldens is not beside this checkout)";

describe.skipIf(recorded.length === 0)(`protos against what istiod 1.29.6 sends${place}`, () => {
  test(`all ${recorded.length} recorded resources have only fields and types that we know`, async () => {
    const registry = await loadRegistry();
    expect(recorded.flatMap((resource) => problemWith(resource, registry))).toEqual([]);
  });
});
