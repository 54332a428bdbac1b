import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { equals, fromBinary, fromJson, type JsonValue, type Registry, toBinary } from "@bufbuild/protobuf";
import { beforeAll, expect, test } from "vitest";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
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

const recorded = globSync("*/expect*/*/*.json", { cwd: istiodGoldens }).toSorted().flatMap(read);

function read(path: string): Recorded[] {
  const file = JSON.parse(readFileSync(join(istiodGoldens, path), "utf8")) as RecordedFile;
  return (file.resources ?? []).map(({ name, body }) => ({ where: `${path} ${name}`, typeUrl: file.typeUrl, body }));
}

describeWithData(istiodGoldens, "protos against what istiod 1.29.6 sends", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await loadRegistry();
  });

  /** Throws at a field or an `@type` that we have no proto for. */
  function parse({ typeUrl, body }: Recorded) {
    const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
    if (schema === undefined) throw new Error(`unknown type ${typeUrl}`);
    return { schema, message: fromJson(schema, body, { registry, ignoreUnknownFields: false }) };
  }

  test(`all ${recorded.length} recorded resources have only fields and types that we know`, () => {
    const problems = recorded.flatMap((resource) => {
      try {
        parse(resource);
        return [];
      } catch (thrown) {
        return [`${resource.where}: ${String(thrown)}`];
      }
    });
    expect(problems).toEqual([]);
  });

  test("our writer encodes every one of them without loss, and as short as protobuf-es", () => {
    const writer = new ProtoWriter();
    const wrong = recorded.filter((resource) => {
      const { schema, message } = parse(resource);
      const bytes = writer.encode(schema, message);
      return bytes.length !== toBinary(schema, message).length || !equals(schema, fromBinary(schema, bytes), message);
    });
    expect(wrong.map((resource) => resource.where)).toEqual([]);
    expect(writer.encodings).toBe(recorded.length);
  });
});
