import type { CommonTlsContext } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import type { StringMatcher } from "#gen/envoy/type/matcher/v3/string_pb.js";

/** The names that one end of TLS accepts in the certificate of the other. */
export interface AcceptedNames {
  readonly accepts: (name: string) => boolean;
  readonly text: string;
}

/** Undefined when every name is accepted. */
export function acceptedNames(context: CommonTlsContext | undefined): AcceptedNames | undefined {
  const roots = context?.validationContextType;
  const checks = roots?.case === "combinedValidationContext" ? roots.value.defaultValidationContext : roots?.value;
  if (checks === undefined || !("matchSubjectAltNames" in checks)) return undefined;
  const matchers = [
    ...checks.matchSubjectAltNames,
    ...checks.matchTypedSubjectAltNames.flatMap(({ matcher }) => (matcher === undefined ? [] : [matcher])),
  ];
  if (matchers.length === 0) return undefined;
  return {
    accepts: (name) => matchers.some((matcher) => holds(matcher, name)),
    text: matchers.map(textOf).join(", "),
  };
}

function textOf({ matchPattern: { case: how, value } }: StringMatcher): string {
  return typeof value === "string" ? `${value}${how === "prefix" ? "*" : ""}` : "a pattern";
}

/** Patterns that Binnacle never writes count as accepting. */
function holds({ matchPattern }: StringMatcher, name: string): boolean {
  if (matchPattern.case === "exact") return matchPattern.value === name;
  return matchPattern.case === "prefix" ? name.startsWith(matchPattern.value) : true;
}
