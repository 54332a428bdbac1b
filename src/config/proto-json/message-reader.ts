import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { fieldPath } from "../field-path.ts";
import type { Finding } from "../finding.ts";
import { inlined, nestInlined } from "./inlined.ts";
import { readScalar } from "./scalar.ts";
import { bad, good, show, type ValueResult, wrongType } from "./value-result.ts";
import { wellKnownReader } from "./well-known.ts";

/** The severity of unknown fields, or `ignored`. */
export type UnknownFields = Finding["severity"] | "ignored";

/** Walks descriptor and raw value together, collects all findings, and returns JSON for protobuf. */
export class MessageReader {
  readonly #findings: Finding[] = [];
  readonly #unknownFields: UnknownFields;

  constructor(unknownFields: UnknownFields = "error") {
    this.#unknownFields = unknownFields;
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** Canonical JSON of the value; undefined if it is unusable, which a finding explains. */
  read(schema: DescMessage, raw: unknown, path: string): JsonValue | undefined {
    const wellKnown = wellKnownReader(schema);
    if (wellKnown !== undefined) return this.#take(wellKnown(raw), path);
    if (!isMapping(raw)) return this.#take(wrongType("a mapping", raw), path);
    const json: JsonObject = {};
    const writtenAs = new Map<DescField, string>();
    for (const [key, value] of Object.entries(nestInlined(schema, raw))) {
      const fieldAt = key === inlined ? path : fieldPath(path, key);
      const field = schema.fields.find(({ jsonName, name }) => jsonName === key || name === key);
      if (field === undefined) {
        this.#reportUnknown(schema, key, fieldAt);
        continue;
      }
      if (value === null || value === undefined) continue;
      this.#reportClash(field, writtenAs, key, fieldAt);
      writtenAs.set(field, key);
      const read = this.#readField(field, value, fieldAt);
      if (read !== undefined) json[field.jsonName] = read;
    }
    return json;
  }

  #readField(field: DescField, raw: unknown, path: string): JsonValue | undefined {
    if (field.fieldKind === "list") return this.#readList(field, raw, path);
    if (field.fieldKind === "map") return this.#readMap(field, raw, path);
    return this.#readValue(field, raw, path);
  }

  /**
   * Reads the value of a field. For lists and maps it reads one element, whose type the descriptor has in the same
   * place.
   */
  #readValue(field: DescField, raw: unknown, path: string): JsonValue | undefined {
    if (field.message !== undefined) return this.read(field.message, raw, path);
    if (field.enum !== undefined) return this.#take(readEnum(field.enum, raw), path);
    return this.#take(readScalar(field.scalar, raw), path);
  }

  #readList(field: DescField, raw: unknown, path: string): JsonValue | undefined {
    if (!Array.isArray(raw)) return this.#take(wrongType("a list", raw, "start each element with a dash"), path);
    return raw.flatMap((element: unknown, index) => this.#readValue(field, element, fieldPath(path, index)) ?? []);
  }

  #readMap(field: DescField & { fieldKind: "map" }, raw: unknown, path: string): JsonValue | undefined {
    if (!isMapping(raw)) return this.#take(wrongType("a mapping", raw), path);
    const json: JsonObject = {};
    for (const [key, value] of Object.entries(raw)) {
      const entryAt = fieldPath(path, key);
      this.#take(readKey(field, key), entryAt);
      const read = this.#readValue(field, value, entryAt);
      if (read !== undefined) json[key] = read;
    }
    return json;
  }

  #take(reading: ValueResult, path: string): JsonValue | undefined {
    if (reading.ok) return reading.json;
    const { code, message, hint } = reading;
    this.#report({ severity: "error", code, path, message }, hint);
    return undefined;
  }

  #reportUnknown(schema: DescMessage, key: string, path: string): void {
    if (this.#unknownFields === "ignored") return;
    if (isRemoved(schema, key)) {
      const message = `"${key}" was removed from ${schema.name} and has no effect`;
      this.#report({ severity: "warning", code: "removed-field", path, message });
      return;
    }
    const meant = didYouMean(
      key,
      schema.fields.map(({ jsonName }) => jsonName),
    );
    const message = `${schema.name} has no field "${key}"`;
    const hint = meant === undefined ? undefined : `did you mean "${meant}"?`;
    this.#report({ severity: this.#unknownFields, code: "unknown-field", path, message }, hint);
  }

  /** Reports a field that conflicts with an earlier one. */
  #reportClash(field: DescField, writtenAs: ReadonlyMap<DescField, string>, key: string, path: string): void {
    const rivals = field.oneof === undefined ? [field] : field.oneof.fields;
    const rival = rivals.map((other) => writtenAs.get(other)).find((other) => other !== undefined);
    if (rival === undefined) return;
    const message = `only one of "${rival}" and "${key}" may be set`;
    this.#report({ severity: "error", code: "conflicting-fields", path, message });
  }

  #report(finding: Finding, hint?: string): void {
    this.#findings.push(hint === undefined ? finding : { ...finding, hint });
  }
}

function readEnum(type: DescEnum, raw: unknown): ValueResult {
  const known = type.values.find(({ name, number }) => name === raw || number === raw);
  if (known !== undefined) return good(known.name);
  const names = type.values.map(({ name }) => name);
  const meant = typeof raw === "string" ? didYouMean(raw, names) : undefined;
  const message = `expected one of ${names.join(", ")}, found ${show(raw)}`;
  return bad("unknown-value", message, meant === undefined ? undefined : `did you mean ${meant}?`);
}

function isRemoved(schema: DescMessage, key: string): boolean {
  const snakeCase = key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
  return schema.proto.reservedName.some((name) => name === key || name === snakeCase);
}

/** JavaScript would treat an entry of this name as the object's prototype, and lose it. */
function readKey({ mapKey }: DescField & { fieldKind: "map" }, key: string): ValueResult {
  return key === "__proto__" ? bad("bad-key", "__proto__ cannot be a key here") : readScalar(mapKey, key);
}
