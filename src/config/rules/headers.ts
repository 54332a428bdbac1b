import type { Headers, Headers_HeaderOperations } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { badOperator } from "../grammar/command-operators.ts";

const token = /^[\w!#$%&'*+.^`|~-]+$/u;

export function headerName(name: string, path: string): readonly Finding[] {
  return named(token.test(name), name, path);
}

/** The parts of a request line, under which HTTP/2 sends them. */
const pseudoHeaders: ReadonlySet<string> = new Set([":method", ":scheme", ":authority", ":path", ":status"]);

/** `@request.auth.claims.group` or `@request.auth.claims[group]`: a claim of a token, where a header could stand. */
export function isClaim(name: string): boolean {
  return /^@request\.auth\.claims(?:\.|\[.+\]$)/u.test(name);
}

/** What a rule can ask for: a header, a part of the request line, or a claim. */
export function matchedHeaderName(name: string, path: string): readonly Finding[] {
  return named(token.test(name) || pseudoHeaders.has(name) || isClaim(name), name, path);
}

/** Where Istio's schema is stricter than HTTP. */
export function plainHeaderName(name: string, path: string): readonly Finding[] {
  return named(/^[-\w]+$/u.test(name), name, path);
}

/** What Envoy takes as the name of a header, and as its value. */
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

/** Changes to request and response headers. Envoy refuses a whole route configuration for one that it cannot make. */
export function headerChanges(headers: Headers | undefined, path: string): readonly Finding[] {
  return [
    ...changes(headers?.request, { path: `${path}.request`, mayName: isAuthority }),
    ...changes(headers?.response, { path: `${path}.response`, mayName: () => false }),
  ];
}

interface Side {
  readonly path: string;
  /** Which of the names that are not plain headers may be set here. */
  readonly mayName: (name: string) => boolean;
}

function changes(operations: Headers_HeaderOperations | undefined, { path, mayName }: Side): readonly Finding[] {
  const { set = {}, add = {}, remove = [] } = operations ?? {};
  return [
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
  return [error(path, { code: "bad-header", message: `Envoy does not let anyone change "${name}" here` })];
}

/** All but the tab. */
const control = /[^\P{Cc}\t]/u;

/** The value of a header, or a text that becomes part of one. */
export function headerText(value: string, path: string): readonly Finding[] {
  return [
    ...errorUnless(!control.test(value), path, {
      code: "bad-header",
      message: "the value of a header cannot hold control characters, such as line breaks",
    }),
    ...errorUnless(Buffer.byteLength(value) <= maxBytes, path, {
      code: "too-long",
      message: `at most ${maxBytes} bytes are allowed`,
    }),
  ];
}

function headerValue(value: string, path: string): readonly Finding[] {
  return [...headerText(value, path), ...commandOperators(value, path)];
}

/** A text in which Envoy fills in what is between signs of percent. */
export function commandOperators(text: string, path: string): readonly Finding[] {
  const bad = badOperator(text);
  const message =
    bad === "%"
      ? `"${text}" has a % that opens nothing Envoy could fill in`
      : `"${bad}" is nothing that Envoy could fill in`;
  return errorUnless(bad === undefined, path, { code: "bad-header", message, hint: "write %% for the sign itself" });
}
