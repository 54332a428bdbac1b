import type { StringMatcher } from "#gen/envoy/type/matcher/v3/string_pb.js";

/** Envoy's string matcher; extensions of it match nothing here. */
export function matchesString({ matchPattern, ignoreCase }: StringMatcher, value: string): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  switch (matchPattern.case) {
    case "exact":
      return fold(value) === fold(matchPattern.value);
    case "prefix":
      return fold(value).startsWith(fold(matchPattern.value));
    case "suffix":
      return fold(value).endsWith(fold(matchPattern.value));
    case "contains":
      return fold(value).includes(fold(matchPattern.value));
    case "safeRegex":
      return matchesRegex(matchPattern.value.regex, value);
    case "custom":
    case undefined:
    default:
      return false;
  }
}

/** Envoy's regular expressions are RE2's and match the whole text; for those that both know, JavaScript's agree. */
export function matchesRegex(regex: string, value: string): boolean {
  return new RegExp(`^(?:${regex})$`, "u").test(value);
}
