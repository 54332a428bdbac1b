import type { Headers, Headers_HeaderOperations } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { badOperator, type OperatorPlace } from "../grammar/command-operators.ts";
import { shortText } from "./text.ts";

const token = /^[\w!#$%&'*+.^`|~-]+$/u;

export function headerName(name: string, path: string): readonly Finding[] {
  return named(token.test(name), name, path);
}

/** The pseudo-headers of HTTP/2 for the request line. */
const pseudoHeaders: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path", ":status"]);

const claim = /^@request\.auth\.claims(?:(?:\.[^.]+)+|(?:\[[^[\]]+\])+)$/u;

/**
 * `@request.auth.claims.group` or `@request.auth.claims[group]`: a claim of a token in place of a header. Envoy refuses
 * a claim with an empty part.
 */
export function isClaim(name: string): boolean {
  return claim.test(name);
}

/** The name in a match: a header, a pseudo-header, or a claim. */
export function matchedHeaderName(name: string, path: string): readonly Finding[] {
  return named(token.test(name) || pseudoHeaders.has(name) || isClaim(name), name, path);
}

/** For fields where Istio's schema is stricter than HTTP. */
export function plainHeaderName(name: string, path: string): readonly Finding[] {
  return named(/^[-\w]+$/u.test(name), name, path);
}

/** For probes of Kubernetes, which refuses underscores, too. */
export function probeHeaderName(name: string, path: string): readonly Finding[] {
  return named(/^[-A-Za-z0-9]+$/u.test(name), name, path);
}

/** Envoy's limit for the name and for the value of a header. */
const maxBytes = 16_384;

function named(isGood: boolean, name: string, path: string): readonly Finding[] {
  return errorUnless(isGood && name.length <= maxBytes, path, {
    code: "bad-header",
    message: `"${name}" cannot name a header`,
  });
}

export function isAuthority(name: string): boolean {
  return [":authority", "host"].includes(name.toLowerCase());
}

/** Changes of request and response headers. Envoy refuses the whole route configuration for an impossible change. */
export function headerChanges(headers: Headers | undefined, path: string): readonly Finding[] {
  return [
    ...changes(headers?.request, { path: `${path}.request`, mayName: isAuthority }),
    ...changes(headers?.response, { path: `${path}.response`, mayName: () => false }),
  ];
}

/** Envoy adds at most 1000 headers per route. The headers of the rule and of its only destination count together. */
const maxAdditions = 500;

interface Side {
  readonly path: string;
  /** Special names that may be set here, beside plain headers. */
  readonly mayName: (name: string) => boolean;
}

function changes(operations: Headers_HeaderOperations | undefined, { path, mayName }: Side): readonly Finding[] {
  const { set = {}, add = {}, remove = [] } = operations ?? {};
  const additions = Object.keys(set).length + Object.keys(add).length;
  return [
    ...errorUnless(additions <= maxAdditions, path, {
      code: "too-many-values",
      message: `at most ${maxAdditions} headers can be set and added, found ${additions}`,
    }),
    ...Object.entries({ set, add }).flatMap(([operation, values]) =>
      Object.entries(values).flatMap(([name, value]) => {
        const at = fieldPath(path, operation, name);
        return [...(mayName(name) ? [] : changedHeader(name, at)), ...headerValue(value, at)];
      }),
    ),
    ...remove.flatMap((name, index) => changedHeader(name, fieldPath(path, "remove", index))),
  ];
}

function changedHeader(name: string, path: string): readonly Finding[] {
  if (!pseudoHeaders.has(name) && !isAuthority(name)) return headerName(name, path);
  return [error(path, { code: "bad-header", message: `Envoy does not allow changing "${name}" here` })];
}

/** All control characters except the tab. */
const control = /[^\P{Cc}\t]/u;

/** The value of a header, or a part of one. */
export function headerText(value: string, path: string): readonly Finding[] {
  return [
    ...errorUnless(!control.test(value), path, {
      code: "bad-header",
      message: "the value of a header cannot contain control characters, such as line breaks",
    }),
    ...shortText(value, path, maxBytes),
  ];
}

function headerValue(value: string, path: string): readonly Finding[] {
  return [...headerText(value, path), ...commandOperators(value, path, "header")];
}

/** A text with command operators, which Envoy replaces, between percent signs. */
export function commandOperators(text: string, path: string, place: OperatorPlace): readonly Finding[] {
  const bad = badOperator(text, place);
  const message =
    bad === "%"
      ? `"${text}" has a % that starts no command operator of Envoy`
      : `"${bad}" is not a command operator of Envoy`;
  return errorUnless(bad === undefined, path, { code: "bad-header", message, hint: "write %% for the sign itself" });
}
