import { describe, expect, test } from "vitest";
import { ocspStaple, pairs, revocationList, rootCertificate } from "../../testing/config/fake-certificates.ts";
import { kinds } from "../kinds.ts";
import { parseConfigs } from "../parse/parse.ts";

const { one, two } = pairs;

function parse(kind: string, body: object, metadata: object = {}) {
  const object = { apiVersion: "v1", kind, metadata: { name: "shop", namespace: "edge", ...metadata }, ...body };
  return parseConfigs({
    text: JSON.stringify(object, undefined, 2),
    file: "a.yaml",
    source: "test",
    kinds,
    defaultNamespace: "default",
  });
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** The names of the parts that are kept. */
function partsOf(body: object): readonly string[] {
  return Object.keys(parse("Secret", body).configs[0]?.sealed?.reveal() ?? {});
}

function issuesOf(stringData: object, type = "Opaque") {
  return parse("Secret", { type, stringData }).issues.map(({ code, path, message }) => ({ code, path, message }));
}

describe("the content of a Secret", () => {
  const pair = { "tls.crt": one.certificate, "tls.key": one.key };

  test("is sealed; the spec has the names of its parts, and unused parts are dropped", () => {
    const { configs, issues } = parse("Secret", { stringData: { ...pair, password: "hunter2" } });
    expect(issues).toEqual([]);
    const [config] = configs;
    expect(config?.spec).toMatchObject({ data: { "tls.crt": {}, "tls.key": {}, password: {} }, stringData: {} });
    expect(Object.keys(config?.sealed?.reveal() ?? {})).toEqual(["tls.crt", "tls.key"]);
    const shown = JSON.stringify(config);
    expect([shown.includes("hunter2"), shown.includes(base64(one.key))]).toEqual([false, false]);
    expect(JSON.stringify(config?.origin)).not.toContain("BEGIN");
  });

  test("decides about the version, whether it is written as text or as base64", () => {
    const encoded = Object.fromEntries(Object.entries(pair).map(([name, text]) => [name, base64(text)]));
    const versions = [
      { stringData: pair },
      { data: encoded },
      { data: encoded, stringData: { "tls.crt": two.certificate, "tls.key": two.key } },
    ].map((body) => parse("Secret", body).configs[0]?.version);
    expect(versions[0]).toBe(versions[1]);
    expect(versions[2]).not.toBe(versions[0]);
  });

  test("is not repeated by annotations, of which only Istio's are kept", () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": "hunter2",
      "galley.istio.io/analyze-suppress": "*",
    };
    const [config] = parse("Secret", { stringData: pair }, { annotations }).configs;
    expect(config?.annotations).toEqual({ "galley.istio.io/analyze-suppress": "*" });
    expect(JSON.stringify(config)).not.toContain("hunter2");
  });

  test("is not quoted by issues about values that cannot be read", () => {
    const { issues, configs } = parse("Secret", { data: { "tls.key": "hunter2!" }, stringData: { a: ["hunter2"] } });
    expect(configs).toEqual([]);
    expect(issues.length).toBeGreaterThan(0);
    expect(JSON.stringify(issues)).not.toContain("hunter2");
  });
});

describe("key material that Envoy would refuse", () => {
  const ed25519 =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n";

  test.each([
    ["a key of another certificate", { "tls.crt": one.certificate, "tls.key": two.key }, "tls.key", "bad-private-key"],
    ["an unreadable key", { "tls.crt": one.certificate, "tls.key": "secret" }, "tls.key", "bad-private-key"],
    ["an unreadable chain", { "tls.crt": "none", "tls.key": one.key }, "tls.crt", "bad-certificate"],
    [
      "a chain that ends in the middle",
      { cert: one.certificate + two.certificate.slice(0, 200), key: one.key },
      "cert",
      "bad-certificate",
    ],
    ["a list that is no CRL", { "ca.crt": rootCertificate, "ca.crl": rootCertificate }, "ca.crl", "bad-crl"],
    ["CA certificates that are none", { cacert: one.key }, "cacert", "bad-certificate"],
  ])("%s is an error at its field", (_, stringData, field, code) => {
    const issues = issuesOf(stringData).filter(
      (issue) => issue.path.includes(JSON.stringify(field)) || issue.path.endsWith(`.${field}`),
    );
    expect(issues.map((issue) => issue.code)).toEqual([code]);
  });

  test("a type of keys that Envoy does not support is named", () => {
    expect(issuesOf({ "tls.crt": one.certificate, "tls.key": ed25519 })[0]?.code).toBe("bad-private-key");
  });

  test("a staple that is no OCSP response is an error, and a good one is none", () => {
    const pair = { "tls.crt": base64(one.certificate), "tls.key": base64(one.key) };
    const staple = (value: string) => parse("Secret", { data: { ...pair, "tls.ocsp-staple": value } }).issues;
    expect(staple(base64("none"))).toMatchObject([{ code: "bad-ocsp-staple", path: 'data["tls.ocsp-staple"]' }]);
    expect(staple(ocspStaple)).toEqual([]);
  });

  test("a Secret of type kubernetes.io/tls needs both parts, and others need none", () => {
    expect(issuesOf({ "tls.crt": one.certificate }, "kubernetes.io/tls")[0]?.code).toBe("missing-certificate");
    expect(issuesOf({ "tls.crt": one.certificate })).toEqual([]);
  });

  test("good material of every sort is accepted", () => {
    const all = { "tls.crt": one.certificate + rootCertificate, "tls.key": one.key, "ca.crt": rootCertificate };
    expect(issuesOf({ ...all, "ca.crl": revocationList }, "kubernetes.io/tls")).toEqual([]);
  });
});

describe("credentials for registries", () => {
  const login = '{"auths":{"hub.example.com":{"auth":"aHVudGVyMg=="}}}';
  const type = "kubernetes.io/dockerconfigjson";

  test("are kept of a Secret of their type only", () => {
    expect(partsOf({ type, stringData: { ".dockerconfigjson": login } })).toEqual([".dockerconfigjson"]);
    expect(partsOf({ type: "Opaque", stringData: { ".dockerconfigjson": login } })).toEqual([]);
    expect(partsOf({ type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": login } })).toEqual([]);
  });

  test("must be a JSON object, and no issue quotes them", () => {
    expect(issuesOf({ ".dockerconfigjson": login }, type)).toEqual([]);
    for (const bad of [
      {},
      { ".dockerconfigjson": "" },
      { ".dockerconfigjson": "[]" },
      { ".dockerconfigjson": `${login}}` },
    ]) {
      const issues = issuesOf(bad, type);
      expect(issues).toMatchObject([{ code: "bad-pull-secret" }]);
      expect(JSON.stringify(issues)).not.toContain("aHVudGVyMg");
    }
    expect(issuesOf({ ".dockerconfigjson": "none" }, type)[0]?.path).toBe('stringData[".dockerconfigjson"]');
  });
});

test("CA certificates of a ConfigMap are checked too", () => {
  expect(parse("ConfigMap", { data: { "ca.crt": rootCertificate } }).issues).toEqual([]);
  expect(parse("ConfigMap", { data: { "ca.crt": "none" } }).issues).toMatchObject([{ code: "bad-certificate" }]);
});
