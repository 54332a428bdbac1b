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

const remoteBlocks = ["127.0.2.0/24", "10.1.0.0/16", "10.9.9.9/8", "10.2.0.1", "2001:db8::/32", "2001:DB8:0:1::1"];

/** Small alphabets, so that values meet. */
const values: Readonly<Record<SourceField | OperationField | ConditionKey, readonly string[]>> = {
  principals: principalPatterns(),
  "source.principal": principalPatterns(),
  namespaces: ["one", "two", "o*", "*o", "one-*", "*"],
  "source.namespace": ["one", "two", "o*", "*o", "*-one", "*"],
  // Without a namespace, the policy's own.
  serviceAccounts: ["one/web", "two/job", "one/job", "web", "istio-system/job"],
  "source.serviceAccount": ["one/web", "two/job", "one/job", "web"],
  trustDomains: ["mesh.example", "old.example", "*.example", "mesh*", "*"],
  ipBlocks: ["127.0.2.0/24", "127.0.3.1", "127.0.0.0/16", "127.0.3.9/31", "0.0.0.0/0", "::/0"],
  "source.ip": ["127.0.2.0/24", "127.0.3.1", "127.0.2.77/16", "::1", "::/0"],
  "destination.ip": ["127.0.0.0/8", "10.0.0.1", "0.0.0.0/0", "::/0"],
  remoteIpBlocks: [...remoteBlocks, "0.0.0.0/0"],
  "remote.ip": [...remoteBlocks, "2001:db8:1::"],
  requestPrincipals: requestPrincipalPatterns(),
  "request.auth.principal": requestPrincipalPatterns(),
  "request.auth.audiences": ["shop", "bank", "s*", "*k", "SHOP", "*"],
  "request.auth.presenter": ["app-1", "*-2", "app*", "App-1", "*"],
  "request.auth.claims[groups]": ["g1", "g2", "g*", "*1", "G1", "*"],
  "request.auth.claims[scope]": ["read", "write", "read write", "re*"],
  "request.auth.claims[nested][role]": ["boss", "*k", "Boss", "*"],
  "request.auth.claims[nested][deep][teams]": ["t1", "t2", "t*"],
  "request.headers[x-a]": ["1", "12", "1*", "*2", "1.", "*"],
  "request.headers[X-Mixed]": ["ab", "AB", "a*", "*B", "*"],
  hosts: ["shop.example", "SHOP.example", "*.example", "shop*", "shop.example:8080", "Shop.example:*", "*:8080", "*"],
  methods: ["GET", "PUT", "get", "P*", "*T", "*"],
  paths: [
    "/",
    "/a",
    "/A",
    "//a",
    "/a/",
    "/a.b",
    "/a*",
    "/a/*",
    "*/c",
    "*c",
    "*",
    "/a/{*}",
    "/a/{**}",
    "/{*}/b",
    "/{*}/b/{**}",
    "/{**}/c",
    "/{*}",
    "/a/{*}/c",
  ],
  ports: ["8080", "1", "9000", "80", "65535"],
  "destination.port": ["8080", "1", "9000", "80"],
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

/** Issuers may contain slashes. */
function requestPrincipalPatterns(): readonly string[] {
  return ["issuer-a/u1", "issuer-a/*", "*/u2", "https://c.example/u1", "https://c.example/*", "Issuer-a/u1", "*"];
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
    "request.headers[X-Mixed]",
    "destination.ip",
    "source.ip",
    "remote.ip",
    "source.namespace",
    "source.serviceAccount",
    "source.principal",
    "request.auth.principal",
    "request.auth.audiences",
    "request.auth.presenter",
    "request.auth.claims[groups]",
    "request.auth.claims[scope]",
    "request.auth.claims[nested][role]",
    "request.auth.claims[nested][deep][teams]",
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

/** Up to six policies, named apart. */
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
    { minLength: 1, maxLength: 6 },
  )
  // Only ALLOW may have no rules: then it allows nothing.
  .map((all) => all.filter(({ action, rules }) => action === "ALLOW" || rules.length > 0))
  .map((all) => all.map((policy, index) => ({ ...policy, name: `p${index}` })));

/** One policy for each value of each field, and two for the negative form of each field, with nothing else in it. */
export const singleFields: readonly (readonly TruthPolicy[])[] = (Object.keys(values) as Field[]).flatMap((field) => [
  ...values[field].map((value) => singleDemand(field, false, [value])),
  singleDemand(field, true, values[field].slice(0, 2)),
  singleDemand(field, true, values[field].slice(-1)),
]);

function singleDemand(field: Field, negative: boolean, chosen: readonly string[]): readonly TruthPolicy[] {
  const demand = [{ field, negative, values: chosen }];
  const within = <F extends string>(fields: Readonly<Record<F, unknown>>) =>
    Object.hasOwn(fields, field) ? [demand as unknown as Demands<F>] : [];
  const rules = [{ from: within(sourceFields), to: within(operationFields), when: within(conditionKeys) }];
  return [{ name: "p0", level: "workload", action: "ALLOW", rules }];
}

/** Three issuers: of each, its claims may be lists or single texts. */
const claims: fc.Arbitrary<TruthClaims> = fc.record(
  {
    iss: fc.constantFrom("issuer-a", "issuer-b", "https://c.example"),
    sub: fc.constantFrom("u1", "u2"),
    aud: fc.constantFrom("shop", ["shop", "bank"], ["other"]),
    azp: fc.constantFrom("app-1", "app-2"),
    groups: fc.constantFrom("g1", ["g1", "g2"], ["h"]),
    scope: fc.constantFrom("read", "read write", ["write"], ["read write"]),
    nested: fc.constantFrom(
      { role: "boss" },
      { role: "clerk", deep: { teams: ["t1", "t2"] } },
      { deep: { teams: "t2" } },
      { deep: { teams: ["u"] } },
    ),
  },
  { requiredKeys: ["iss"] },
);

const callers = trustDomains.flatMap((domain) =>
  ["one", "two", "one-one", "istio-system"].flatMap((namespace) =>
    ["web", "job"].map((account) => `${domain}/ns/${namespace}/sa/${account}`),
  ),
);

const http = fc.record({
  method: fc.constantFrom("GET", "PUT", "POST", "DELETE"),
  path: fc.constantFrom(
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/a/b/c",
    "/x/b",
    "/x/b/c",
    "/a/c/d",
    "/A",
    "/axb",
    "/a.b",
    "/ab",
    "//a",
    "/a//c",
    "/a?q=1",
    "/x?q=/a/c",
    "/x/../a",
    "/a/./b",
    "/a/b/../../x/b/c",
  ),
  host: fc.constantFrom(
    "shop.example",
    "Shop.Example",
    "bank.example",
    "bank.example.org",
    "a.shop",
    "shop.example:8080",
    "SHOP.example:9090",
    "shopXexample",
    "shop.example.org",
  ),
  headerA: fc.constantFrom(undefined, "1", "12", "21"),
  headerMixed: fc.constantFrom(undefined, "ab", "AB", "aB"),
  forwardedFor: fc.constantFrom(undefined, "10.1.0.1", "10.2.0.1", "2001:db8:0:1::1", "2001:db8:1::", "2001:db9::1"),
  claims: fc.option(claims, { nil: undefined }),
});

const noHeaders = { headerA: undefined, headerMixed: undefined, forwardedFor: undefined };
const bare = { method: "GET", path: "/", host: "", ...noHeaders, claims: undefined };

export const requests: fc.Arbitrary<TruthRequest> = fc
  .record({
    protocol: fc.oneof(
      { weight: 4, arbitrary: fc.constant("http" as const) },
      { weight: 1, arbitrary: fc.constant("tcp" as const) },
    ),
    caller: fc.option(fc.constantFrom(...callers), { nil: undefined, freq: 3 }),
    sni: fc.constantFrom("one.sni", "two.sni"),
    source: fc.constantFrom("127.0.2.1", "127.0.3.1", "127.0.3.8", "127.1.0.1"),
    request: http,
  })
  .map(({ request, protocol, ...connection }) => ({
    ...(protocol === "http" ? request : bare),
    ...connection,
    protocol,
    port: ports[protocol],
  }));
