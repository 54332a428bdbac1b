import { describe, expect, test } from "vitest";
import { type AdmissionResponse, admitReview } from "./admit-review.ts";
import type { JudgeOptions } from "./judge.ts";

const gateway = {
  apiVersion: "networking.istio.io/v1alpha3",
  kind: "Gateway",
  metadata: { name: "ingress", namespace: "shop" },
  spec: {
    selector: { istio: "ingressgateway" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["shop.example"] }],
  },
};

const rule = {
  apiVersion: "config.istio.io/v1alpha2",
  kind: "rule",
  metadata: { name: "promhttp", namespace: "istio-system" },
  spec: { match: "context.protocol == 'http'", actions: [] },
};

type Fields = Readonly<Record<string, unknown>>;

function request(overrides: Fields = {}): Fields {
  return {
    uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
    kind: { group: "networking.istio.io", version: "v1alpha3", kind: "Gateway" },
    resource: { group: "networking.istio.io", version: "v1alpha3", resource: "gateways" },
    name: "ingress",
    namespace: "shop",
    operation: "CREATE",
    object: gateway,
    ...overrides,
  };
}

function review(overrides: Fields = {}, version = "v1"): string {
  return JSON.stringify({
    apiVersion: `admission.k8s.io/${version}`,
    kind: "AdmissionReview",
    request: request(overrides),
  });
}

const byKind: JudgeOptions = { rules: "byKind", unknownFields: "warning" };

function responseTo(overrides: Fields, options: Partial<JudgeOptions> = {}): AdmissionResponse {
  return admitReview(review(overrides), { ...byKind, ...options }).review.response;
}

/** `allowed`, or the reason and the message. */
function verdictOn(overrides: Fields, options: Partial<JudgeOptions> = {}): string {
  const { verdict } = admitReview(review(overrides), { ...byKind, ...options });
  return verdict.type === "denied" ? `${verdict.reason}: ${verdict.message}` : verdict.type;
}

describe("an answer", () => {
  test.each(["v1", "v1beta1"])("a review in %s is answered in the same version, under its uid", (version) => {
    expect(admitReview(review({}, version), byKind).review).toEqual({
      apiVersion: `admission.k8s.io/${version}`,
      kind: "AdmissionReview",
      response: { uid: "705ab4f5-6393-11e8-b7cc-42010a800002", allowed: true },
    });
  });

  test("a denial has a reason, as a status that Kubernetes forwards", () => {
    expect(responseTo({ object: { ...gateway, spec: {} } })).toEqual({
      uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
      allowed: false,
      status: {
        status: "Failure",
        message: expect.stringContaining("spec.servers") as string,
        reason: "Invalid",
        code: 422,
      },
    });
  });

  test.each([
    ["no JSON", "apiVersion: v1", /cannot be read/],
    ["nothing", "null", /expected an AdmissionReview/],
    ["another object", JSON.stringify(gateway), /expected an AdmissionReview/],
    [
      "a version to come",
      JSON.stringify({ apiVersion: "admission.k8s.io/v2", kind: "AdmissionReview" }),
      /v1 or .*v1beta1/,
    ],
    ["brackets without end", "[".repeat(10_000), /more than 200 levels deep/],
  ])("a body that is %s is denied", (_what, body, message) => {
    const { review, verdict } = admitReview(body, byKind);
    expect(verdict).toMatchObject({ type: "denied", reason: "yaml_decode_error" });
    expect(review).toMatchObject({ apiVersion: "admission.k8s.io/v1", response: { uid: "", allowed: false } });
    expect(review.response.status?.message).toMatch(message);
  });

  test("a review without a request is denied, in its version", () => {
    const { review } = admitReview('{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}', byKind);
    expect(review.apiVersion).toBe("admission.k8s.io/v1beta1");
    expect(review.response.status?.message).toBe("the review has no request");
  });

  test("brackets inside texts have no depth", () => {
    const annotations = { note: `${"[".repeat(1000)}\\"{{` };
    expect(verdictOn({ object: { ...gateway, metadata: { ...gateway.metadata, annotations } } })).toBe("allowed");
  });
});

describe("checked requests", () => {
  test.each(["CREATE", "UPDATE"])("%s is checked", (operation) => {
    expect(verdictOn({ operation })).toBe("allowed");
    expect(verdictOn({ operation, object: { ...gateway, spec: {} } })).toMatch(/^invalid_resource/);
  });

  test.each(["DELETE", "CONNECT", "", "PATCH"])("%s is allowed unchecked, even without an object", (operation) => {
    expect(verdictOn({ operation, object: null })).toBe("unchecked");
    expect(responseTo({ operation, object: null }).allowed).toBe(true);
  });

  test.each([undefined, null, "a text", [gateway]])("an object that is %j is denied", (object) => {
    expect(verdictOn({ object })).toBe("yaml_decode_error: there is no object to create");
  });

  test("a dry run is judged like any other", () => {
    expect(responseTo({ dryRun: true })).toEqual(responseTo({}));
    const object = { ...gateway, spec: {} };
    expect(responseTo({ dryRun: true, object })).toEqual(responseTo({ object }));
  });
});

describe("our kinds", () => {
  test.each(["v1alpha3", "v1beta1", "v1"])("%s of a kind is taken", (version) => {
    expect(verdictOn({ object: { ...gateway, apiVersion: `networking.istio.io/${version}` } })).toBe("allowed");
  });

  test.each([
    [{ kind: "Gatewya" }, /^unknown_type: .*did you mean Gateway\?/],
    [
      { apiVersion: "batch/v1", kind: "CronJob" },
      /^unknown_type: "CronJob" of "batch\/v1" is not a kind of this webhook/,
    ],
    [{ apiVersion: "networking.istio.io/v7" }, /^unknown_type: .*known versions are/],
    [{ kind: undefined }, /^unknown_type: .*kind is missing/],
    [{ apiVersion: undefined }, /^unknown_type: .*apiVersion is missing/],
  ])("an object with %j is not of a kind we know", (overrides, expected) => {
    expect(verdictOn({ object: { ...gateway, ...overrides } })).toMatch(expected);
  });

  test.each([
    [{ servers: "none" }, /spec\.servers: expected a list/],
    [{ servers: [{ ...gateway.spec.servers[0], port: { number: "eighty" } }] }, /spec\.servers\[0\]\.port\.number/],
    [{ servers: [{ ...gateway.spec.servers[0], tls: { mode: "SOMEHOW" } }] }, /spec\.servers\[0\]\.tls\.mode/],
  ])("a spec with %j does not fit its message", (spec, expected) => {
    const verdict = verdictOn({ object: { ...gateway, spec } });
    expect(verdict).toMatch(/^crd_conversion_error/);
    expect(verdict).toMatch(expected);
  });

  test("an object that violates a rule of its kind is denied", () => {
    expect(verdictOn({ object: { ...gateway, spec: { servers: [] } } })).toMatch(
      /^invalid_resource: Gateway shop\/ingress .*spec\.servers/,
    );
  });

  test("keys beside apiVersion, kind, metadata, spec and status are denied", () => {
    expect(verdictOn({ object: { ...gateway, status: {} } })).toBe("allowed");
    expect(verdictOn({ object: { ...gateway, spce: {} } })).toBe(
      'invalid_resource: Gateway shop/ingress is not valid: spce: an object has no field "spce"; did you mean "spec"?',
    );
  });

  test("a misspelt field of the spec is denied, or a warning if configured so", () => {
    const object = { ...gateway, spec: { ...gateway.spec, selctor: {} } };
    const sentence = 'spec.selctor: Gateway has no field "selctor"; did you mean "selector"?';
    expect(responseTo({ object })).toMatchObject({ allowed: true, warnings: [sentence] });
    expect(verdictOn({ object }, { unknownFields: "error" })).toBe(
      `invalid_resource: Gateway shop/ingress is not valid: ${sentence}`,
    );
  });

  test("a misspelt field does not hide other mistakes, nor the other way round", () => {
    const object = { ...gateway, spec: { servers: [], selctor: {} } };
    expect(verdictOn({ object })).toMatch(/^invalid_resource: .*spec\.servers/);
    expect(responseTo({ object }).warnings).toHaveLength(1);
  });

  test("v1beta1 reviews get no warnings, since their clients do not know them", () => {
    const object = { ...gateway, spec: { ...gateway.spec, selctor: {} } };
    expect(admitReview(review({ object }, "v1beta1"), byKind).review.response).not.toHaveProperty("warnings");
  });
});

describe("names", () => {
  test("an object without a namespace or name gets them from the request", () => {
    const object = { ...gateway, metadata: {}, spec: {} };
    expect(verdictOn({ object })).toContain("Gateway shop/ingress");
  });

  test("the request wins over the object", () => {
    const object = { ...gateway, spec: {} };
    expect(verdictOn({ object, name: "egress", namespace: "prod" })).toContain("Gateway prod/egress");
  });

  test("a name that generateName will create is fine, no name at all is denied", () => {
    expect(verdictOn({ name: "", object: { ...gateway, metadata: { generateName: "ingress-" } } })).toBe("allowed");
    expect(verdictOn({ name: "", object: { ...gateway, metadata: {} } })).toMatch(/metadata\.name is missing/);
  });
});

describe("Mixer's kinds", () => {
  const mixers = { kind: { group: "config.istio.io", version: "v1alpha2", kind: "rule" }, name: "promhttp" };

  test.each(["rule", "attributemanifest", "adapter", "handler", "instance", "template"])(
    "%s is recognised by its kind, and only its frame is checked",
    (kind) => {
      const asked = { ...mixers, kind: { ...mixers.kind, kind } };
      expect(verdictOn({ ...asked, object: { ...rule, kind } })).toBe("allowed");
      expect(verdictOn({ ...asked, object: { ...rule, kind, extra: 1 } })).toMatch(/^invalid_resource: .*extra/);
      expect(verdictOn({ ...asked, object: { ...rule, kind, spec: "all" } })).toMatch(/^crd_conversion_error/);
    },
  );

  test("the separate path for Mixer checks any object in this way", () => {
    expect(verdictOn({ object: { ...gateway, spec: { anything: true } } }, { rules: "mixer" })).toBe("allowed");
  });

  test("deletions need a name", () => {
    const deletion = { ...mixers, operation: "DELETE", object: null };
    expect(verdictOn(deletion)).toBe("allowed");
    expect(verdictOn({ ...deletion, name: "" })).toMatch(/^invalid_resource: the request does not name the object/);
  });

  test("other operations are allowed unchecked", () => {
    expect(verdictOn({ ...mixers, operation: "CONNECT", object: null })).toBe("unchecked");
  });
});

describe("metric labels", () => {
  test("are the names of our own resources", () => {
    expect(admitReview(review(), byKind).labels).toEqual({
      group: "networking.istio.io",
      version: "v1alpha3",
      resource: "gateways",
    });
  });

  test.each([
    ["a resource", review({ resource: { group: "networking.istio.io", version: "v1alpha3", resource: "inventions" } })],
    ["no resource", review({ resource: undefined })],
    ["no review", "{}"],
  ])("do not contain values that callers invent: %s", (_what, body) => {
    expect(admitReview(body, byKind).labels).toEqual({ group: "unknown", version: "unknown", resource: "unknown" });
  });
});

test("tokens of peers, which no proxy takes, are allowed with a warning", () => {
  const kind = { group: "authentication.istio.io", version: "v1alpha1", kind: "Policy" };
  const resource = { group: "authentication.istio.io", version: "v1alpha1", resource: "policies" };
  const metadata = { name: "default", namespace: "shop" };
  const spec = { peers: [{ jwt: { issuer: "a" } }] };
  const object = { apiVersion: "authentication.istio.io/v1alpha1", kind: "Policy", metadata, spec };
  const body = review({ kind, resource, name: "default", object });
  const { response } = admitReview(body, { rules: "byKind", unknownFields: "error" }).review;
  expect(response).toMatchObject({ allowed: true, warnings: [expect.stringMatching(/no effect: [^;]+$/u)] });
});
