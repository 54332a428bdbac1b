import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isMapping } from "../../../src/lib/is-mapping.ts";
import type { JsonTree } from "../../../src/testing/random/mutate-tree.ts";
import type { Random } from "../../../src/testing/random/random.ts";
import { oddDoubles, oddDurations, oddIntegers, oddTexts } from "./odd-values.ts";

type Mapping = { [key: string]: JsonTree };

/** A part of an object, with the message that it is. */
export interface ObjectPart {
  readonly desc: DescMessage;
  readonly value: Mapping;
}

/** Parts and texts of right objects, which mutations transplant to where they do not belong. */
export class Donors {
  readonly #parts = new Map<string, Mapping[]>();
  readonly texts: string[] = [];

  constructor(objects: Iterable<ObjectPart>) {
    for (const object of objects) for (const part of partsOf(object)) this.#add(part);
  }

  /** Other messages of the same type. */
  partsLike(desc: DescMessage): readonly Mapping[] {
    return this.#parts.get(desc.typeName) ?? [];
  }

  #add({ desc, value }: ObjectPart): void {
    const known = this.#parts.get(desc.typeName) ?? [];
    known.push(value);
    this.#parts.set(desc.typeName, known);
    const values = Object.values(value).flatMap((each) => (Array.isArray(each) ? each : [each]));
    for (const text of values) if (typeof text === "string") this.texts.push(text);
  }
}

/** Changes messages at random. Every field of every message in them may be set, also those that the original lacks. */
export class Mutator {
  readonly #random: Random;
  readonly #donors: Donors;

  constructor(random: Random, donors: Donors) {
    this.#random = random;
    this.#donors = donors;
  }

  /** The same message with some of its fields, at any depth, set to something at the border of what they take. */
  mutate({ desc, value: original }: ObjectPart, mostFields = 3): Mapping {
    const value = structuredClone(original);
    for (let count = 1 + this.#random.below(mostFields); count > 0; count -= 1)
      this.#change(this.#random.pick([...partsOf({ desc, value })]));
    return value;
  }

  #change({ desc, value }: ObjectPart): void {
    if (desc.fields.length === 0) return;
    const isSet = (field: DescField) => value[field.jsonName] !== undefined;
    const written = desc.fields.filter(isSet);
    const field = this.#random.pick(written.length > 0 && !this.#random.once(3) ? written : desc.fields);
    const rivals = field.oneof?.fields ?? [];
    for (const rival of rivals) if (rival !== field) Reflect.deleteProperty(value, rival.jsonName);
    const before = value[field.jsonName];
    if (before !== undefined && this.#random.once(12)) Reflect.deleteProperty(value, field.jsonName);
    else if (field.fieldKind === "list")
      value[field.jsonName] = this.#changedList(field, Array.isArray(before) ? before : []);
    else if (field.fieldKind === "map")
      value[field.jsonName] = this.#changedMap(field, isMapping(before) ? before : {});
    else value[field.jsonName] = this.#oddValue(field, before);
  }

  #changedList(field: DescField, list: readonly JsonTree[]): JsonTree[] {
    const copy = [...list];
    const at = this.#random.below(list.length + 1);
    const doubled = list[at];
    if (doubled !== undefined && this.#random.once(3)) copy.splice(at, 0, structuredClone(doubled));
    else if (this.#random.once(6)) copy.splice(at, 1);
    else if (this.#random.once(10))
      return Array.from({ length: this.#random.pick([0, 150]) }, (_, index) => this.#oneOfMany(field, index));
    else copy[at] = this.#oddValue(field, copy[at]);
    return copy;
  }

  #changedMap(field: DescField, map: Mapping): Mapping {
    const keys = Object.keys(map);
    if (this.#random.once(10)) {
      const many = Array.from(
        { length: this.#random.pick([0, 1100]) },
        (_, index) => [`x-${index}`, this.#oneOfMany(field, index)] as const,
      );
      return Object.fromEntries(many);
    }
    const key = keys.length > 0 && this.#random.once(2) ? this.#random.pick(keys) : this.#random.pick(oddTexts);
    const like = Object.values(map)[0];
    return {
      ...map,
      [key]: this.#random.once(3) && like !== undefined ? structuredClone(like) : this.#oddValue(field, map[key]),
    };
  }

  /** Right and short where it can be, so that only their number may be wrong. */
  #oneOfMany(field: DescField, index: number): JsonTree {
    if (field.message !== undefined)
      return structuredClone(this.#random.pick([{}, ...this.#donors.partsLike(field.message)]));
    return field.scalar === ScalarType.STRING ? `x-${index}` : this.#oddValue(field, undefined);
  }

  #oddValue(field: DescField, before: JsonTree | undefined): JsonTree {
    if (field.enum !== undefined) return this.#random.pick(field.enum.values).name;
    if (field.message === undefined) return this.#oddScalar(field.scalar ?? ScalarType.STRING, before);
    if (isWrapperDesc(field.message)) return this.#oddScalar(field.message.fields[0].scalar, before);
    if (field.message.typeName === "google.protobuf.Duration") return this.#random.pick(oddDurations);
    if (field.message.typeName.startsWith("google.protobuf.")) return {};
    const donors = this.#donors.partsLike(field.message);
    if (donors.length > 0 && this.#random.once(3)) return structuredClone(this.#random.pick(donors));
    const value = isMapping(before) ? structuredClone(before) : {};
    if (this.#random.once(12)) return {};
    for (let count = 1 + this.#random.below(3); count > 0; count -= 1) this.#change({ desc: field.message, value });
    return value;
  }

  #oddScalar(scalar: ScalarType, before: JsonTree | undefined): JsonTree {
    switch (scalar) {
      case ScalarType.BOOL:
        return this.#random.once(2);
      case ScalarType.BYTES:
        return this.#random.pick(["", "AA==", "////"]);
      case ScalarType.STRING:
        if (this.#random.once(6)) return this.#random.pick(this.#donors.texts);
        return typeof before === "string" && this.#random.once(3)
          ? damaged(before, this.#random)
          : this.#random.pick(oddTexts);
      case ScalarType.DOUBLE:
      case ScalarType.FLOAT:
        return this.#random.pick(oddDoubles);
      case ScalarType.INT64:
      case ScalarType.UINT64:
      case ScalarType.SINT64:
      case ScalarType.FIXED64:
      case ScalarType.SFIXED64:
        return this.#random.pick([
          ...oddIntegers.map(String),
          "8388608",
          "8388609",
          "5000011",
          "9223372036854775807",
          "18446744073709551615",
        ]);
      case ScalarType.INT32:
      case ScalarType.UINT32:
      case ScalarType.SINT32:
      case ScalarType.FIXED32:
      case ScalarType.SFIXED32:
      default:
        return this.#random.pick(oddIntegers);
    }
  }
}

/** The message and all messages in it. */
function* partsOf(part: ObjectPart): Generator<ObjectPart> {
  yield part;
  for (const field of part.desc.fields) {
    const value = part.value[field.jsonName];
    if (field.message === undefined || value === undefined || isScalar(field.message)) continue;
    const values = field.fieldKind === "list" && Array.isArray(value) ? value : [value];
    const inner = field.fieldKind === "map" && isMapping(value) ? Object.values(value) : values;
    for (const each of inner) if (isMapping(each)) yield* partsOf({ desc: field.message, value: each });
  }
}

function isScalar(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || desc.typeName.startsWith("google.protobuf.");
}

function damaged(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  return `${text.slice(0, at)}${random.pick(["\n", "\r", "\0", " ", "é", ":", "/", "%", "*", ".", "-", "_", "A", "\t", "\u007f", "[", "?", "#"])}${text.slice(at)}`;
}
