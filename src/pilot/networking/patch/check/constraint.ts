import type { DescField, MessageShape } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { type FieldRulesSchema, KnownRegex, type StringRules } from "#gen/validate/validate_pb.js";

type FieldRules = MessageShape<typeof FieldRulesSchema>;

/** One demand of Envoy's on the value of a field. */
export interface Constraint {
  /** In few words, such as `≥ 1` or `at least 1 byte`. */
  readonly text: string;
  readonly holds: (value: unknown) => boolean;
}

/** Everything that the `validate` rules of one field demand. */
export interface FieldConstraints {
  /** The field may not be absent. */
  readonly isRequired: boolean;
  /** On the value; on the whole list or map if there are many. */
  readonly onValue: readonly Constraint[];
  /** On each item of a list, or each value of a map. */
  readonly onItems: readonly Constraint[];
  readonly onKeys: readonly Constraint[];
}

/** Reads the rules of a field. Throws on a rule that it does not know, so that none is left out unseen. */
export function readRules(field: DescField, { message, type }: FieldRules): FieldConstraints {
  const none = { isRequired: message?.required ?? false, onItems: [], onKeys: [] };
  if (type.case === undefined) return { ...none, onValue: [] };
  if (type.case === "string") return { ...none, onValue: stringConstraints(field, type.value) };
  if (type.case === "repeated") {
    const { items, ...others } = type.value;
    return { ...none, onValue: constraintsOf(field, others), onItems: innerConstraints(field, items) };
  }
  if (type.case === "map") {
    const { keys, values, ...others } = type.value;
    const [onKeys, onItems] = [innerConstraints(field, keys), innerConstraints(field, values)];
    return { ...none, onValue: constraintsOf(field, others), onItems, onKeys };
  }
  const isRequired = none.isRequired || ("required" in type.value && type.value.required);
  return { ...none, isRequired, onValue: constraintsOf(field, { ...type.value, required: undefined }) };
}

function innerConstraints(field: DescField, rules: FieldRules | undefined): readonly Constraint[] {
  return rules === undefined ? [] : readRules(field, rules).onValue;
}

function stringConstraints(field: DescField, rules: StringRules): readonly Constraint[] {
  const { wellKnown, strict, ignoreEmpty, ...others } = rules;
  const all = [...constraintsOf(field, others)];
  if (wellKnown.case === "wellKnownRegex") all.push(headerConstraint(wellKnown.value, strict));
  else if (wellKnown.case !== undefined) throw new Error(`${field.toString()}: unknown rule ${wellKnown.case}`);
  if (!ignoreEmpty) return all;
  return all.map(({ text, holds }) => ({ text: `${text}, or empty`, holds: (value) => value === "" || holds(value) }));
}

function headerConstraint(form: KnownRegex, isStrict: boolean): Constraint {
  const isName = form === KnownRegex.HTTP_HEADER_NAME;
  const strict = isName ? /^:?[0-9a-zA-Z!#$%&'*+-.^_|~`]+$/u : /^(?:\P{Cc}|[\t\u0080-\u009f])*$/u;
  const pattern = isStrict ? strict : /^[^\0\n\r]*$/u;
  const text = isStrict ? `a ${isName ? "name" : "value"} of a header` : "no NUL, CR or LF";
  return { text, holds: (value) => pattern.test(String(value)) };
}

/** A constraint for each rule that is set. */
function constraintsOf(field: DescField, rules: object): readonly Constraint[] {
  return Object.entries(rules).flatMap(([name, limit]: [string, unknown]) => {
    if (name.startsWith("$") || limit === undefined || limit === false) return [];
    if ((Array.isArray(limit) && limit.length === 0) || isUnsetOneof(limit)) return [];
    const make = makers[name];
    if (make === undefined) throw new Error(`${field.toString()}: unknown rule ${name}`);
    return [make(limit, field)];
  });
}

function isUnsetOneof(limit: unknown): boolean {
  return typeof limit === "object" && limit !== null && "case" in limit && limit.case === undefined;
}

type Maker = (limit: unknown, field: DescField) => Constraint;

const makers: Readonly<Record<string, Maker>> = {
  gt: (limit) => compared(">", limit, (value, least) => value > least),
  gte: (limit) => compared("≥", limit, (value, least) => value >= least),
  lt: (limit) => compared("<", limit, (value, most) => value < most),
  lte: (limit) => compared("≤", limit, (value, most) => value <= most),
  const: (limit) => ({ text: `is ${String(limit)}`, holds: (value) => value === limit }),
  in: (limit) => ({ text: `one of ${asList(limit).join(", ")}`, holds: (value) => asList(limit).includes(value) }),
  notIn: (limit) => ({
    text: `none of ${asList(limit).join(", ")}`,
    holds: (value) => !asList(limit).includes(value),
  }),
  definedOnly: (_, { enum: values }) => ({
    text: "a value of the enum",
    holds: (value) => values?.values.some(({ number }) => number === value) ?? false,
  }),
  minLen: (limit) => sized("at least", limit, "characters", (value) => lengthOf(value) >= Number(limit)),
  maxLen: (limit) => sized("at most", limit, "characters", (value) => lengthOf(value) <= Number(limit)),
  maxBytes: (limit) => sized("at most", limit, "bytes", (value) => Buffer.byteLength(String(value)) <= Number(limit)),
  minItems: (limit) => sized("at least", limit, "items", (value) => sizeOf(value) >= Number(limit)),
  maxItems: (limit) => sized("at most", limit, "items", (value) => sizeOf(value) <= Number(limit)),
  minPairs: (limit) => sized("at least", limit, "entries", (value) => sizeOf(value) >= Number(limit)),
  unique: () => ({ text: "no item twice", holds: (value) => new Set(asList(value)).size === asList(value).length }),
  pattern: (limit) => {
    const pattern = new RegExp(String(limit), "u");
    return { text: `matches \`${String(limit)}\``, holds: (value) => pattern.test(String(value)) };
  },
};

function compared(sign: string, limit: unknown, holds: (value: number | bigint, limit: number | bigint) => boolean) {
  const bound = asNumber(limit);
  const text = `${sign} ${isDuration(limit) ? `${Number(bound) / 1e9} s` : String(bound)}`;
  return { text, holds: (value: unknown) => holds(asNumber(value), bound) };
}

function sized(word: string, limit: unknown, unit: string, holds: (value: unknown) => boolean): Constraint {
  return { text: `${word} ${String(limit)} ${unit}`, holds };
}

/** Durations in nanoseconds. */
function asNumber(value: unknown): number | bigint {
  if (isDuration(value)) return value.seconds * 1_000_000_000n + BigInt(value.nanos);
  if (typeof value === "number" || typeof value === "bigint") return value;
  throw new Error(`no number: ${typeof value}`);
}

function isDuration(value: unknown): value is Duration {
  return typeof value === "object" && value !== null && "seconds" in value && "nanos" in value;
}

function asList(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null && Symbol.iterator in value
    ? [...(value as Iterable<unknown>)]
    : [];
}

function sizeOf(value: unknown): number {
  return asList(value).length;
}

/** Characters of a text, bytes of bytes. */
function lengthOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length : Array.from(String(value)).length;
}
