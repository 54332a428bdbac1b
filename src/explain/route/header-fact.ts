import type { HeaderMatcher } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { headerValues, type SimulatedRequest } from "../simulated-request.ts";
import { compare, type Fact, type TextPattern, textPatternOf } from "./text-pattern.ts";

/**
 * A missing header matches nothing, inverted or not, unless it counts as empty or the condition requires its absence.
 * Of several values one has to match.
 */
export function headerFact(matcher: HeaderMatcher, request: SimulatedRequest): Fact {
  const { headerMatchSpecifier: specifier, invertMatch, treatMissingHeaderAsEmpty } = matcher;
  const subject = matcher.name.startsWith(":") ? matcher.name.slice(1) : `header ${matcher.name}`;
  const found = headerValues(request, matcher.name);
  const values = found.length === 0 && treatMissingHeaderAsEmpty ? [""] : found;
  if (specifier.case === "presentMatch" || specifier.case === undefined) {
    return presence(subject, values.length > 0, (specifier.value ?? true) !== invertMatch);
  }
  const pattern = specifier.case === "rangeMatch" ? undefined : headerPattern(specifier);
  if (specifier.case !== "rangeMatch" && pattern === undefined) return unknown(subject);
  const facts = values.map((value) =>
    specifier.case === "rangeMatch"
      ? rangeFact(subject, value, specifier.value)
      : compare(subject, value, pattern ?? exactly("")),
  );
  // One value that fits is enough, and one that should not fit spoils the condition.
  const decisive = facts.find(({ holds }) => holds) ?? facts[0];
  return decisive === undefined ? presence(subject, false, true) : inverted(decisive, invertMatch);
}

/** All but one of these are older forms of the string match. */
function headerPattern(
  specifier: Exclude<HeaderMatcher["headerMatchSpecifier"], { case: "presentMatch" | "rangeMatch" | undefined }>,
): TextPattern | undefined {
  switch (specifier.case) {
    case "stringMatch":
      return textPatternOf(specifier.value);
    case "exactMatch":
      return exactly(specifier.value);
    case "prefixMatch":
      return { type: "prefix", value: specifier.value, ignoreCase: false };
    case "suffixMatch":
      return { type: "suffix", value: specifier.value, ignoreCase: false };
    case "containsMatch":
      return { type: "contains", value: specifier.value, ignoreCase: false };
    case "safeRegexMatch":
    default:
      return { type: "regex", value: specifier.value.regex, ignoreCase: false };
  }
}

function rangeFact(subject: string, value: string, { start, end }: { start: bigint; end: bigint }): Fact {
  const holds = /^-?\d+$/u.test(value) && BigInt(value) >= start && BigInt(value) < end;
  return { holds, text: `${subject} is ${holds ? "" : "not "}in ${start}…${end - 1n}` };
}

export function presence(subject: string, present: boolean, wanted: boolean): Fact {
  return { holds: present === wanted, text: `${subject} is ${present ? "present" : "missing"}` };
}

function inverted({ holds, text }: Fact, invert: boolean): Fact {
  return { holds: holds !== invert, text };
}

export function exactly(value: string): TextPattern {
  return { type: "exact", value, ignoreCase: false };
}

export function unknown(subject: string): Fact {
  return { holds: false, text: `${subject} is not known here` };
}
