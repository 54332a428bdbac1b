import { describe, expect, test } from "vitest";
import type { QuarantinedObject } from "../../admin/pilot/quarantine.ts";
import { configId } from "../../config/config.ts";
import { describeObject } from "./describe-object.ts";
import { descriptionText } from "./description-text.ts";
import { kindNamed } from "./kind-named.ts";
import type { ObjectPages } from "./object-pages.ts";

const kind = kindNamed("VirtualService");
const id = { kind, namespace: "shop", name: "reviews" };
const object = "VirtualService/shop/reviews";
const other = { object: "VirtualService/shop/other", reference: "b.yaml:1" };
const reference = "a.yaml:3";

const pages: ObjectPages = {
  configs: {
    "istio/networking/v1alpha3/virtualservices": [
      {
        key: "shop/reviews",
        kind: "VirtualService",
        apiVersion: "networking.istio.io/v1",
        version: "1f",
        reference,
        source: "file:a",
      },
    ],
  },
  issues: {
    sources: [{ name: "file:a" }, { name: "etcd://b/mesh", stale: "no answer" }],
    issues: [
      {
        severity: "warning",
        code: "deprecated",
        object: "VirtualService shop/reviews",
        path: "spec.tcp",
        message: "is old",
        reference,
        source: "file:a",
      },
      {
        severity: "error",
        code: "bad",
        object: "VirtualService shop/other",
        path: "",
        message: "is bad",
        reference,
        source: "file:a",
      },
    ],
    clashes: [
      {
        collection: kind.collection,
        key: "shop/reviews",
        claimants: [`file:a ${kind.collection}`, `etcd://b/mesh ${kind.collection}`],
      },
    ],
  },
  analysis: {
    messages: [
      { code: "IST0101", level: "Error", origin: "VirtualService shop/reviews", message: "no such host", reference },
    ],
  },
  distribution: { proxies: [{ node: "gw", upToDate: false, resources: [{ type: "RDS", name: "http.80" }] }] },
  conflicts: {
    conflicts: [
      {
        type: "domain",
        about: "reviews.shop",
        winner: other,
        losers: [{ object, reference }],
        reason: "the older one wins",
      },
    ],
    dangling: [],
  },
  nacks: [
    { type: "RDS", message: "bad regex", resources: ["http.80"], objects: [{ object, reference }], proxies: ["gw"] },
  ],
  patches: undefined,
  quarantine: undefined,
  progress: { state: "pending", contentHash: "2e", proxies: { connected: 3, reached: 2, live: 1 } },
};

describe("an object of a mesh", () => {
  test("is described by its origin, the proxies that hold its resources, and its problems", () => {
    const description = describeObject(id, pages);
    expect(description && descriptionText(description, "text")).toBe(
      `object:  VirtualService shop/reviews
from:    a.yaml:3
source:  file:a
also in: etcd://b/mesh, where it is ignored
version: 1f
content: 2e
live:    on 1 of 2 proxies

PROXY   STATE     RESOURCE
gw      not yet   RDS http.80

4 problems:
a.yaml:3: warning deprecated: spec.tcp: is old
a.yaml:3: error IST0101: no such host
a.yaml:3: warning conflict: reviews.shop: VirtualService/shop/other has it, since the older one wins
a.yaml:3: error rejected: gw rejects RDS http.80: bad regex`,
    );
  });

  test("has proxy, state and type in every row when it is described wide", () => {
    const resources = ["http.80", "http.81"].map((name) => ({ type: "RDS", name }));
    const proxies = [{ node: "gw", upToDate: false, resources }];
    const description = describeObject(id, { ...pages, distribution: { proxies } });
    expect(description && descriptionText(description, "wide")).toContain(
      "PROXY   STATE     TYPE   RESOURCE\ngw      not yet   RDS    http.80\ngw      not yet   RDS    http.81\n",
    );
  });

  test.each([
    ["its own source", "file:a", "1f, the last good version: its source has a newer, invalid one"],
    ["another source", "etcd://b/mesh", "1f"],
  ])("keeps its last good version when %s has an invalid one", (_, source, version) => {
    const issue = {
      severity: "error",
      code: "bad",
      object: "VirtualService shop/reviews",
      path: "",
      message: "is bad",
    };
    const issues = { ...pages.issues, issues: [{ ...issue, reference, source }] };
    const description = describeObject(id, { ...pages, issues });
    expect(description).toMatchObject({ accepted: true, version: "1f", lastGood: source === "file:a" });
    expect(description && descriptionText(description, "text")).toContain(`\nversion: ${version}\n`);
  });

  test("that was never accepted is described by its problems and its source", () => {
    const broken = describeObject(
      { ...id, name: "other" },
      { ...pages, distribution: undefined, conflicts: undefined },
    );
    expect(broken).toMatchObject({ accepted: false, source: "file:a", problems: [{ code: "bad", message: "is bad" }] });
  });

  test("that proxies cannot run is described by their reason, without a winner", () => {
    const reason = "the proxy was built without the Wasm filter, so it rejects all traffic";
    const losers = [{ object, reference }];
    const conflicts = [{ type: "extension", about: "guard", winner: null, losers, reason }];
    const described = describeObject(id, { ...pages, conflicts: { conflicts, dangling: [] } });
    expect(described?.problems.filter(({ code }) => code === "conflict")).toEqual([
      { level: "warning", code: "conflict", message: `guard: ${reason}`, reference },
    ]);
  });

  test("that proxies refuse is described by their class, their words, and the content that they get instead", () => {
    const refusal: QuarantinedObject = {
      object: configId("VirtualService", "shop", "reviews"),
      reference,
      version: "1f",
      class: "router 1.40.0 (3f2a91)",
      proxies: 2,
      since: "2026-01-01T00:00:00.000Z",
      confirmedBy: "",
      reason: "bad regex",
      rejected: [],
      node: "gw",
      probes: 3,
      instead: { type: "earlier version", version: "1e" },
      state: { type: "refused" },
    };
    const elsewhere = { ...refusal, object: configId("VirtualService", "shop", "other") };
    const quarantine = { enabled: true, objects: [refusal, elsewhere], released: [], search: null, untrusted: [] };
    const described = describeObject(id, { ...pages, quarantine });
    expect(described?.refusals).toEqual([refusal]);
    expect(described?.problems.filter(({ code }) => code === "quarantined")).toEqual([
      {
        level: "error",
        code: "quarantined",
        message:
          "router 1.40.0 (3f2a91) (2 proxies) refuses it since 2026-01-01T00:00:00.000Z, and gets earlier version 1e: " +
          "bad regex",
        reference,
      },
    ]);
  });

  test("that does not exist is not found", () => {
    expect(describeObject({ ...id, name: "ratings" }, pages)).toBeUndefined();
  });
});
