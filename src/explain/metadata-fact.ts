import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { MetadataMatcher } from "#gen/envoy/type/matcher/v3/metadata_pb.js";
import type { ValueMatcher } from "#gen/envoy/type/matcher/v3/value_pb.js";
import { compare, type Fact, textPatternOf } from "./route/text-pattern.ts";

/** A condition on the metadata that filters before this one wrote, such as the claims of a token. */
export function metadataFactIn(matcher: MetadataMatcher, metadata: Readonly<Record<string, JsonObject>>): Fact {
  const path = matcher.path.flatMap(({ segment }) => (segment.case === "key" ? [segment.value] : []));
  const found = path.reduce<JsonValue | undefined>(memberOf, metadata[matcher.filter]);
  const holds = matcher.value !== undefined && fits(found, matcher.value);
  const subject = nameOf(matcher.filter, path);
  const text = found === undefined ? `${subject} is missing` : `${subject} is ${JSON.stringify(found)}`;
  return { holds: holds !== matcher.invert, text };
}

/** The claims of a token are called claims. */
function nameOf(filter: string, path: readonly string[]): string {
  const [first, ...rest] = path;
  return filter === jwtFilter && first === "payload"
    ? `claim ${rest.join(".")}`
    : `metadata ${filter} ${path.join(".")}`;
}

const jwtFilter = "envoy.filters.http.jwt_authn";

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A missing value fits nothing but the demand for its absence. */
function fits(value: JsonValue | undefined, { matchPattern }: ValueMatcher): boolean {
  switch (matchPattern.case) {
    case "stringMatch": {
      const pattern = textPatternOf(matchPattern.value);
      return typeof value === "string" && pattern !== undefined && compare("", value, pattern).holds;
    }
    case "listMatch": {
      const { matchPattern: list } = matchPattern.value;
      return Array.isArray(value) && list.case === "oneOf" && value.some((item) => fits(item, list.value));
    }
    case "orMatch":
      return matchPattern.value.valueMatchers.some((matcher) => fits(value, matcher));
    case "presentMatch":
      return (value !== undefined) === matchPattern.value;
    case "boolMatch":
      return value === matchPattern.value;
    case "nullMatch":
      return value === null;
    case "doubleMatch": {
      const { matchPattern: number } = matchPattern.value;
      if (typeof value !== "number") return false;
      if (number.case === "exact") return value === number.value;
      return number.case === "range" && value >= number.value.start && value < number.value.end;
    }
    case undefined:
    default:
      return false;
  }
}
