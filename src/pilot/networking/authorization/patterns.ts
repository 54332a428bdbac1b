import type { HeaderMatcherSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import type { MetadataMatcherSchema } from "#gen/envoy/type/matcher/v3/metadata_pb.js";
import type { StringMatcherSchema } from "#gen/envoy/type/matcher/v3/string_pb.js";
import type { ValueMatcherSchema } from "#gen/envoy/type/matcher/v3/value_pb.js";
import type { MessageLiteral } from "../../../lib/proto-writer/proto-writer.ts";

export type StringMatcher = MessageLiteral<typeof StringMatcherSchema>;
export type HeaderMatcher = MessageLiteral<typeof HeaderMatcherSchema>;
export type ValueMatcher = MessageLiteral<typeof ValueMatcherSchema>;
export type MetadataMatcher = MessageLiteral<typeof MetadataMatcherSchema>;

/** `*` for any text except the empty one, `*suffix`, `prefix*`, or the exact text. Envoy refuses empty affixes. */
export function textMatcher(value: string): StringMatcher {
  if (value === "*") return anyText;
  return affixMatcher(value, false);
}

export const anyText: StringMatcher = regexMatcher(".+");

export function regexMatcher(regex: string): StringMatcher {
  return { matchPattern: { case: "safeRegex", value: { regex } } };
}

export function exactMatcher(exact: string): StringMatcher {
  return { matchPattern: { case: "exact", value: exact } };
}

export function prefixMatcher(prefix: string): StringMatcher {
  return { matchPattern: { case: "prefix", value: prefix } };
}

export function suffixMatcher(suffix: string): StringMatcher {
  return { matchPattern: { case: "suffix", value: suffix } };
}

/** Like `textMatcher`; `*` asks only for the header. */
export function headerMatcher(name: string, value: string, ignoreCase: boolean): HeaderMatcher {
  const specifier =
    value === "*"
      ? ({ case: "presentMatch", value: true } as const)
      : ({ case: "stringMatch", value: affixMatcher(value, ignoreCase) } as const);
  return { name, headerMatchSpecifier: specifier };
}

/** For Envoys that know no `string_match` of headers. */
export function regexHeaderMatcher(name: string, value: string): HeaderMatcher {
  const regex = `(?i)${value.split("*").map(quoted).join(".*")}`;
  const specifier =
    value === "*"
      ? ({ case: "presentMatch", value: true } as const)
      : ({ case: "safeRegexMatch", value: { regex } } as const);
  return { name, headerMatchSpecifier: specifier };
}

/** `*suffix`, `prefix*`, or the exact text. */
export function affixMatcher(value: string, ignoreCase: boolean): StringMatcher {
  if (value.startsWith("*")) return { matchPattern: { case: "suffix", value: value.slice(1) }, ignoreCase };
  if (value.endsWith("*")) return { matchPattern: { case: "prefix", value: value.slice(0, -1) }, ignoreCase };
  return { matchPattern: { case: "exact", value }, ignoreCase };
}

export function metadataMatcher(filter: string, keys: readonly string[], value: ValueMatcher): MetadataMatcher {
  return { filter, path: keys.map((key) => ({ segment: { case: "key", value: key } as const })), value };
}

export function textValue(matcher: StringMatcher): ValueMatcher {
  return { matchPattern: { case: "stringMatch", value: matcher } };
}

export function listValue(oneOf: ValueMatcher): ValueMatcher {
  return { matchPattern: { case: "listMatch", value: { matchPattern: { case: "oneOf", value: oneOf } } } };
}

/** One alternative stands by itself. */
export function anyValue(matchers: readonly ValueMatcher[]): ValueMatcher {
  const [only] = matchers;
  if (only !== undefined && matchers.length === 1) return only;
  return { matchPattern: { case: "orMatch", value: { valueMatchers: matchers } } };
}

/** The text with a meaning of its own in no character, for RE2. */
export function quoted(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/gu, String.raw`\$&`);
}
