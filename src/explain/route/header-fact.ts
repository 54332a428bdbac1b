import type { HeaderMatcher } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { headerOf, type SimulatedRequest } from "../simulated-request.ts";
import { compare, type Fact, type TextPattern, textPatternOf } from "./text-pattern.ts";

/**
 * A missing header matches nothing, inverted or not, unless it counts as empty or the condition requires its absence.
 */
export function headerFact(matcher: HeaderMatcher, request: SimulatedRequest): Fact {
  const { headerMatchSpecifier: specifier, invertMatch, treatMissingHeaderAsEmpty } = matcher;
  const subject = matcher.name.startsWith(":") ? matcher.name.slice(1) : `header ${matcher.name}`;
  const value = headerOf(request, matcher.name) ?? (treatMissingHeaderAsEmpty ? "" : undefined);
  if (specifier.case === "presentMatch" || specifier.case === undefined) {
    return presence(subject, value !== undefined, (specifier.value ?? true) !== invertMatch);
  }
  if (value === undefined) return presence(subject, false, true);
  if (specifier.case === "rangeMatch") return inverted(rangeFact(subject, value, specifier.value), invertMatch);
  const pattern = headerPattern(specifier);
  return pattern === undefined ? unknown(subject) : inverted(compare(subject, value, pattern), invertMatch);
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
