import fc from "fast-check";
import type { SiteCall } from "./call.ts";

/** One thing that a match of a VirtualService asks for, and how a request comes to have it. */
export interface Criterion {
  /** Its name in the histogram. */
  readonly kind: string;
  /** The field of the match; a match has each at most once. */
  readonly field: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly satisfy: (call: SiteCall) => SiteCall;
}

const segment = fc.constantFrom("a", "b", "Item", "item", "7", "42", "x-y");
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join("/")}`);
const user = fc.constantFrom("ann", "anna", "bob", "Bob");

const at = (value: string) => (call: SiteCall) => ({ ...call, path: value });
const withHeader = (name: string, value: string) => (call: SiteCall) => ({
  ...call,
  headers: { ...call.headers, [name]: value },
});

function uri(kind: string, match: object, satisfied: string, ignoreUriCase = false): Criterion {
  return { kind: `uri ${kind}`, field: "uri", spec: { uri: match, ignoreUriCase }, satisfy: at(satisfied) };
}

const uris = fc.oneof(
  path.map((value) => uri("exact", { exact: value }, value)),
  path.map((value) => uri("exact, any case", { exact: value }, value.toUpperCase(), true)),
  fc.tuple(path, path).map(([value, rest]) => uri("prefix", { prefix: value }, `${value}${rest}`)),
  fc
    .tuple(path, path)
    .map(([value, rest]) => uri("prefix, any case", { prefix: value }, `${value.toUpperCase()}${rest}`, true)),
  segment.map((value) => uri("regex", { regex: `/[^/]+/${value}(/.*)?` }, `/any/${value}`)),
);

const methods = fc.oneof(
  fc.constantFrom("GET", "POST", "PUT").map(
    (method): Criterion => ({
      kind: "method exact",
      field: "method",
      spec: { method: { exact: method } },
      satisfy: (call) => ({ ...call, method }),
    }),
  ),
  fc.constant<Criterion>({
    kind: "method regex",
    field: "method",
    spec: { method: { regex: "P.*" } },
    satisfy: (call) => ({ ...call, method: "PUT" }),
  }),
);

function header(kind: string, match: object, satisfied: string): Criterion {
  const satisfy = withHeader("x-user", satisfied);
  return { kind: `header ${kind}`, field: "headers", spec: { headers: { "x-user": match } }, satisfy };
}

const headers = fc.oneof(
  user.map((value) => header("exact", { exact: value }, value)),
  user.map((value) => header("prefix", { prefix: value }, `${value}-1`)),
  user.map((value) => header("regex", { regex: `${value}[0-9]*` }, `${value}7`)),
  user.map((value) => header("present", {}, value)),
);

const withoutHeaders = fc.oneof(
  fc.constant<Criterion>({
    kind: "without header",
    field: "withoutHeaders",
    spec: { withoutHeaders: { "x-token": {} } },
    satisfy: (call) => call,
  }),
  user.map(
    (value): Criterion => ({
      kind: "without header, exact",
      field: "withoutHeaders",
      spec: { withoutHeaders: { "x-token": { exact: value } } },
      satisfy: withHeader("x-token", `not ${value}`),
    }),
  ),
);

function query(kind: string, match: object, satisfied: string): Criterion {
  const satisfy = (call: SiteCall) => ({ ...call, query: `beta=${satisfied}` });
  return { kind: `query ${kind}`, field: "queryParams", spec: { queryParams: { beta: match } }, satisfy };
}

const queries = fc.oneof(
  user.map((value) => query("exact", { exact: value }, value)),
  user.map((value) => query("prefix", { prefix: value }, `${value}s`)),
  user.map((value) => query("regex", { regex: `${value}.*` }, `${value}99`)),
);

const schemes = fc.constant<Criterion>({
  kind: "scheme exact",
  field: "scheme",
  spec: { scheme: { exact: "http" } },
  satisfy: (call) => call,
});

export const criteria: fc.Arbitrary<Criterion> = fc.oneof(
  { weight: 5, arbitrary: uris },
  { weight: 2, arbitrary: methods },
  { weight: 3, arbitrary: headers },
  { weight: 2, arbitrary: withoutHeaders },
  { weight: 2, arbitrary: queries },
  { weight: 1, arbitrary: schemes },
);
