import fc from "fast-check";
import {
  type ConditionKey,
  conditionKeys,
  type Demands,
  type OperationField,
  operationFields,
  type SourceField,
  sourceFields,
  type TruthPolicy,
  type TruthRule,
} from "./policy.ts";
import type { TruthClaims, TruthRequest } from "./request.ts";

/** The trust domain of the mesh, and an older name of it. */
export const trustDomains = ["mesh.example", "old.example"] as const;

/** The MeshConfig of all cases. */
export const meshConfig = { trustDomain: trustDomains[0], trustDomainAliases: [trustDomains[1]] };
export const ports = { http: 8080, tcp: 9000 } as const;

/** Small alphabets, so that values meet. */
const values: Readonly<Record<SourceField | OperationField | ConditionKey, readonly string[]>> = {
  principals: principalPatterns(),
  "source.principal": principalPatterns(),
  namespaces: ["one", "two", "o*", "*o", "*"],
  "source.namespace": ["one", "two", "o*", "*o", "*"],
  serviceAccounts: ["one/web", "two/job", "one/job"],
  "source.serviceAccount": ["one/web", "two/job", "one/job"],
  trustDomains: ["mesh.example", "old.example", "*"],
  ipBlocks: ["127.0.2.0/24", "127.0.3.1", "127.0.0.0/16"],
  "source.ip": ["127.0.2.0/24", "127.0.3.1", "127.0.0.0/16"],
  remoteIpBlocks: ["127.0.2.0/24", "10.1.0.0/16", "10.0.0.0/8"],
  "remote.ip": ["127.0.2.0/24", "10.1.0.0/16", "10.0.0.0/8"],
  requestPrincipals: ["issuer-a/u1", "issuer-a/*", "*/u2", "*"],
  "request.auth.principal": ["issuer-a/u1", "issuer-a/*", "*/u2", "*"],
  "request.auth.audiences": ["shop", "bank", "s*"],
  "request.auth.presenter": ["app-1", "*-2"],
  "request.auth.claims[groups]": ["g1", "g2", "g*"],
  "request.auth.claims[nested][role]": ["boss", "*k"],
  "request.headers[x-a]": ["1", "12", "1*", "*2", "*"],
  hosts: ["shop.example", "SHOP.example", "*.example", "shop*", "*"],
  methods: ["GET", "PUT", "P*", "*T", "*"],
  paths: ["/", "/a", "/a/*", "*/c", "*", "/a/{*}", "/a/{**}", "/{*}/b", "/{*}/b/{**}"],
  ports: ["8080", "1", "9000"],
  "destination.port": ["8080", "1", "9000"],
  "connection.sni": ["one.sni", "*.sni", "two*", "*"],
};

function principalPatterns(): readonly string[] {
  return [
    "cluster.local/ns/one/sa/web",
    "old.example/ns/two/sa/job",
    "mesh.example/ns/one/*",
    "*/ns/two/sa/job",
    "*/sa/web",
    "*",
    "far.example/ns/one/sa/web",
  ];
}

type Field = keyof typeof values;

/** Both forms of a field may be given at once. */
function demands<F extends Field>(field: F): fc.Arbitrary<Demands<F>> {
  const list = fc.subarray([...values[field]], { minLength: 1, maxLength: 2 });
  const one = (negative: boolean) => list.map((chosen) => [{ field, negative, values: chosen }]);
  return fc.oneof(
    { weight: 5, arbitrary: one(false) },
    { weight: 3, arbitrary: one(true) },
    { weight: 1, arbitrary: fc.tuple(one(false), one(true)).map(([yes, no]) => [...yes, ...no]) },
  );
}

/** A source or an operation with up to two fields. */
function fields<F extends Field>(...names: readonly F[]): fc.Arbitrary<Demands<F>> {
  const some = fc.subarray([...names], { minLength: 1, maxLength: 2 });
  return some.chain((chosen) => fc.tuple(...chosen.map((name) => demands(name)))).map((each) => each.flat());
}

/** A service account names a namespace and a principal, so Istio takes them apart only. */
const source: fc.Arbitrary<Demands<SourceField>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fields("principals", "requestPrincipals", "namespaces", "trustDomains", "ipBlocks", "remoteIpBlocks"),
  },
  { weight: 1, arbitrary: fields("serviceAccounts", "ipBlocks", "remoteIpBlocks", "requestPrincipals") },
);

const operation = fields<OperationField>("hosts", "methods", "paths", "ports");

const condition: fc.Arbitrary<Demands<ConditionKey>> = fc
  .constantFrom<ConditionKey>(
    "request.headers[x-a]",
    "source.ip",
    "remote.ip",
    "source.namespace",
    "source.serviceAccount",
    "source.principal",
    "request.auth.principal",
    "request.auth.audiences",
    "request.auth.presenter",
    "request.auth.claims[groups]",
    "request.auth.claims[nested][role]",
    "destination.port",
    "connection.sni",
  )
  .chain((key) => demands(key));

/** Often none, so that the others decide. */
function few<T>(item: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof(fc.constant([]), fc.array(item, { minLength: 1, maxLength: 2 }));
}

const rule: fc.Arbitrary<TruthRule> = fc.record({
  from: few(source),
  to: few(operation),
  when: few(condition),
});

/** Up to four policies, named apart. */
export const policies: fc.Arbitrary<readonly TruthPolicy[]> = fc
  .array(
    fc.record({
      level: fc.constantFrom("root" as const, "namespace" as const, "workload" as const, "elsewhere" as const),
      action: fc.oneof(
        { weight: 3, arbitrary: fc.constant("ALLOW" as const) },
        { weight: 3, arbitrary: fc.constant("DENY" as const) },
        { weight: 1, arbitrary: fc.constant("AUDIT" as const) },
      ),
      rules: fc.array(rule, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  // Only ALLOW may have no rules: then it allows nothing.
  .map((all) => all.filter(({ action, rules }) => action === "ALLOW" || rules.length > 0))
  .map((all) => all.map((policy, index) => ({ ...policy, name: `p${index}` })));

/** One policy for each value of each field, and one for the negative form of each field, with nothing else in it. */
export const singleFields: readonly (readonly TruthPolicy[])[] = (Object.keys(values) as Field[]).flatMap((field) => [
  ...values[field].map((value) => singleDemand(field, false, [value])),
  singleDemand(field, true, values[field].slice(0, 1)),
]);

function singleDemand(field: Field, negative: boolean, chosen: readonly string[]): readonly TruthPolicy[] {
  const demand = [{ field, negative, values: chosen }];
  const within = <F extends string>(fields: Readonly<Record<F, unknown>>) =>
    Object.hasOwn(fields, field) ? [demand as unknown as Demands<F>] : [];
  const rules = [{ from: within(sourceFields), to: within(operationFields), when: within(conditionKeys) }];
  return [{ name: "p0", level: "workload", action: "ALLOW", rules }];
}

/** Two issuers: of each, its claims may be lists or single texts. */
const claims: fc.Arbitrary<TruthClaims> = fc.record(
  {
    iss: fc.constantFrom("issuer-a", "issuer-b"),
    sub: fc.constantFrom("u1", "u2"),
    aud: fc.constantFrom("shop", ["shop", "bank"], ["other"]),
    azp: fc.constantFrom("app-1", "app-2"),
    groups: fc.constantFrom("g1", ["g1", "g2"], ["h"]),
    nested: fc.constantFrom({ role: "boss" }, { role: "clerk" }),
  },
  { requiredKeys: ["iss"] },
);

const callers = trustDomains.flatMap((domain) =>
  ["one", "two"].flatMap((namespace) => ["web", "job"].map((account) => `${domain}/ns/${namespace}/sa/${account}`)),
);

const http = fc.record({
  method: fc.constantFrom("GET", "PUT", "POST"),
  path: fc.constantFrom("/", "/a", "/a/", "/a/b", "/a/b/c", "/x/b", "/x/b/c", "/a/c/d"),
  host: fc.constantFrom("shop.example", "Shop.Example", "bank.example", "bank.example.org", "a.shop"),
  headerA: fc.constantFrom(undefined, "1", "12", "21"),
  forwardedFor: fc.constantFrom(undefined, "10.1.0.1", "10.2.0.1"),
  claims: fc.option(claims, { nil: undefined }),
});

const bare = { method: "GET", path: "/", host: "", headerA: undefined, forwardedFor: undefined, claims: undefined };

export const requests: fc.Arbitrary<TruthRequest> = fc
  .record({
    protocol: fc.oneof(
      { weight: 4, arbitrary: fc.constant("http" as const) },
      { weight: 1, arbitrary: fc.constant("tcp" as const) },
    ),
    caller: fc.option(fc.constantFrom(...callers), { nil: undefined, freq: 3 }),
    sni: fc.constantFrom("one.sni", "two.sni"),
    source: fc.constantFrom("127.0.2.1", "127.0.3.1", "127.1.0.1"),
    request: http,
  })
  .map(({ request, protocol, ...connection }) => ({
    ...(protocol === "http" ? request : bare),
    ...connection,
    protocol,
    port: ports[protocol],
  }));
