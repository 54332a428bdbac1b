import { create, type Message as ProtoMessage } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputFrom, inputOf } from "../../testing/config/analysis-input.ts";
import { messageArbitrary } from "../../testing/random/message-arbitrary.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import type { Config } from "../config.ts";
import type { Kind } from "../kind.ts";
import { destinationRule } from "../kinds/destination-rule.ts";
import { gateway } from "../kinds/gateway.ts";
import { virtualService } from "../kinds/virtual-service.ts";
import { kinds } from "../kinds.ts";
import { analyze } from "./analyze.ts";
import type { AnalysisInput, Analyzer } from "./analyzer.ts";
import { analyzers } from "./analyzers.ts";
import { messages, messageTypes } from "./messages.ts";

const analyzed = [...new Set(analyzers.flatMap(({ inputs }) => inputs))];

/** Objects with arbitrary content, whose names and labels often match. */
function configsOf(kind: Kind): fc.Arbitrary<readonly Config[]> {
  const words = fc.constantFrom("a", "b", "istio-sidecar-injector", "istio-validator-a", "istio-sidecar-injector-a");
  const labels = fc.dictionary(
    fc.constantFrom("app", "istio-injection", "istio.io/rev"),
    fc.constantFrom("a", "enabled"),
  );
  const annotations = fc.dictionary(fc.constantFrom("sidecar.istio.io/inject", "a.istio.io/b"), fc.string());
  const config = fc.record({ spec: messageArbitrary(kind.schema, 3), name: words, labels, annotations }).map(
    ({ spec, name, ...metadata }): Config<ProtoMessage> => ({
      kind: kind.kind,
      apiVersion: kind.group === "" ? "v1" : `${kind.group}/${kind.versions[0]}`,
      namespace: kind.scope === "cluster" ? "" : "shop",
      name,
      ...metadata,
      createdAt: 0,
      version: "1",
      origin: { source: "test", reference: "a.yaml:1", locate: () => ({ file: "a.yaml", line: 1, column: 1 }) },
      spec: create(kind.schema, spec),
    }),
  );
  return fc.uniqueArray(config, { maxLength: 2, selector: ({ name }) => name });
}

/** A few kinds at a time: an analyzer seldom reads more. */
const meshes = fc
  .subarray(analyzed, { minLength: 1, maxLength: 5 })
  .chain((chosen) => fc.tuple(...chosen.map(configsOf)))
  .map((lists) => lists.flat());

/** Enough objects for every analyzer to read all kinds that it declares. */
const everything = `
{ apiVersion: v1, kind: Namespace, metadata: { name: shop, labels: { istio-injection: enabled } } }
---
{ apiVersion: v1, kind: Namespace, metadata: { name: other } }
---
{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web, namespace: shop } }
---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: istio-sidecar-injector, namespace: istio-system }, data: { values: '{"global":{"proxy":{"image":"a/b:c"}}}' } }
---
apiVersion: v1
kind: Pod
metadata: { name: edge, namespace: shop, labels: { app: edge, gateway.networking.k8s.io/gateway-name: edge } }
---
{ apiVersion: v1, kind: Service, metadata: { name: edge, namespace: shop }, spec: { selector: { app: edge }, ports: [{ port: 80 }] } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: edge, namespace: shop }
spec: { template: { metadata: { labels: { app: edge } }, spec: { containers: [{ name: istio-proxy, image: auto }] } } }
---
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: { name: jwt, namespace: shop }
spec: { jwtRules: [{ issuer: a, jwksUri: "https://a.com/keys" }] }
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: main, namespace: shop }
spec: { selector: { app: edge }, servers: [{ port: { number: 443, name: tls, protocol: HTTPS }, hosts: [a.com], tls: { mode: SIMPLE, credentialName: a } }] }
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: a, namespace: shop }
spec: { hosts: [a.com], gateways: [main], http: [{ match: [{ headers: { "@request.auth.claims.a": { exact: b } } }], route: [{ destination: { host: a } }] }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: { name: istio-sidecar-injector }
webhooks: [{ name: a.istio.io, clientConfig: { service: { name: istiod, namespace: istio-system } } }]
---
apiVersion: rbac.istio.io/v1alpha1
kind: ServiceRoleBinding
metadata: { name: a, namespace: shop }
spec: { subjects: [{ user: a }], roleRef: { kind: ServiceRole, name: a } }
---
{ apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: { name: a, namespace: shop }, spec: { workloadSelector: { labels: { app: edge } } } }
`;

describe("every analyzer", () => {
  test("has a unique name and a description", () => {
    expect(new Set(analyzers.map(({ name }) => name)).size).toBe(analyzers.length);
    expect(analyzers.filter(({ description }) => !/^[A-Z].+[^.]$/u.test(description))).toEqual([]);
  });

  test("needs only kinds that it reads", () => {
    const strays = analyzers.filter(({ inputs, needs = [] }) => !needs.every((kind) => inputs.includes(kind)));
    expect(strays).toEqual([]);
  });

  test.each(analyzers)("$name reads every kind that it declares", (analyzer) => {
    const read = new Set<string>();
    const input = watched(inputFrom([{ file: "a", text: everything }], { mesh: "enableAutoMtls: false" }), read);
    const { messages: found } = analyze([analyzer], input);
    expect(found.filter(({ type }) => type === messages.internalError)).toEqual([]);
    expect(analyzer.inputs.filter(({ collection }) => !read.has(collection)).map(({ kind }) => kind)).toEqual([]);
  });

  test("never throws, and is deterministic, whatever the objects contain", () => {
    fc.assert(
      fc.property(meshes, (configs) => {
        const first = analyze(analyzers, inputOf(configs, { builtIns: false })).messages;
        expect(first.filter(({ type }) => type === messages.internalError).map(({ text }) => text)).toEqual([]);
        const again = analyze(analyzers.toReversed(), inputOf(configs.toReversed(), { builtIns: false })).messages;
        expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
      }),
      { seed, numRuns: runs(30) },
    );
  });
});

function watched(input: AnalysisInput, read: Set<string>): AnalysisInput {
  return {
    ...input,
    all: (kind) => {
      read.add(kind.collection);
      return input.all(kind);
    },
    find: (kind, key) => {
      read.add(kind.collection);
      return input.find(kind, key);
    },
  };
}

const analyzerOf = (name: string, report: Analyzer["analyze"]): Analyzer => {
  return { name, description: "", inputs: [gateway], analyze: report };
};

const skippedIn = (...documents: readonly string[]) =>
  analyze(analyzers, inputFrom([{ file: "a", text: documents.join("\n---\n") }])).skipped;

describe("an analysis", () => {
  const text = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: main, namespace: shop }
spec: { selector: { app: edge } }
`;

  test("continues after an analyzer that throws, and names it", () => {
    const broken = analyzerOf("broken", () => {
      throw new Error("ouch");
    });
    const good = analyzerOf("good", (context) => {
      for (const config of context.all(gateway)) context.report(messages.injectedByDefault, { config });
    });
    const found = analyze([broken, good], inputFrom([{ file: "a", text }])).messages;
    expect(found.map(({ type, text: sentence }) => `${type.code} ${sentence}`)).toEqual([
      "IST0001 broken failed, which is a bug in Binnacle: ouch",
      expect.stringMatching(/^IST0148 /u),
    ]);
  });

  test("stops an analyzer that reads an undeclared kind", () => {
    const sneaky = analyzerOf("sneaky", (context) => void context.all(virtualService));
    const [found] = analyze([sneaky], inputFrom([{ file: "a", text }])).messages;
    expect(found?.text).toMatch(/sneaky declares that it reads VirtualService/u);
  });

  test("skips analyzers that would guess, and lists the missing kinds", () => {
    const entry = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: out, namespace: shop }
spec: { hosts: [a.com], resolution: DNS, ports: [{ number: 80, name: http, protocol: HTTP }] }
`;
    const pods = { analyzer: "gateway.IngressGatewayPortAnalyzer", unknown: ["Service", "Pod", "Deployment"] };
    expect(skippedIn(text, entry)).toContainEqual(pods);
    expect(skippedIn(text)).toEqual([]);
    expect(skippedIn(text, entry, "{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }")).toEqual([]);
  });
});

describe("the table of messages", () => {
  test("has each code once, in order, and fills in every parameter", () => {
    const codes = messageTypes.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].toSorted());
    expect(messageTypes.filter(({ template }) => /[{}]/u.test(template.replaceAll(/\{\w+\}/gu, "")))).toEqual([]);
  });

  test("has the codes that every analysis needs", () => {
    const needed = [
      "0001",
      "0002",
      "0101",
      "0102",
      "0103",
      "0106",
      "0107",
      "0108",
      "0109",
      "0110",
      "0111",
      "0112",
      "0116",
    ];
    const today = ["0118", "0128", "0129", "0130", "0131", "0132", "0133", "0134", "0145", "0162"];
    const codes = new Set(messageTypes.map(({ code }) => code));
    expect([...needed, ...today].filter((code) => !codes.has(`IST${code}`))).toEqual([]);
  });
});

test("a view of one kind never returns objects of another", () => {
  const input = inputFrom([{ file: "a", text: "{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }" }]);
  const counts = kinds.map((kind) => input.all(kind).length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4);
  expect(input.all(destinationRule)).toEqual([]);
});
