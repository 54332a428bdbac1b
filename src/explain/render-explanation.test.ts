import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configId } from "../config/config.ts";
import { runs, seed } from "../testing/random/seed.ts";
import type { ClusterStep, Decision, ExplainedEndpoint, Explanation, RequestOutcome } from "./explanation.ts";
import { renderExplanation } from "./render-explanation.ts";
import { wrap } from "./wrap.ts";

const rule = configId("VirtualService", "shop", "reviews");

const backup = { transport: "TLS", priority: 1 } as const;

function decision(type: Decision["type"], name: string, changes: Partial<Decision> = {}): Decision {
  return { type, name, why: "it takes everything", notes: [], passedOver: [], owners: [], ...changes };
}

function cluster(name: string, changes: Partial<ClusterStep> = {}): ClusterStep {
  const endpoints = [{ address: "10.0.0.1:80", transport: "mutual TLS", priority: 0 }] as const;
  const shared = { why: "", notes: [], passedOver: [], owners: [], endpoints };
  return { type: "cluster", name, share: 1, ...shared, ...changes };
}

function render(explanation: Omit<Explanation, "decidedBy">): string {
  return renderExplanation({ decidedBy: [], ...explanation }, (owner) =>
    owner === rule ? "mesh/reviews.yaml:12" : undefined,
  );
}

const reviewsV2 = { object: rule, reference: "mesh/reviews.yaml:12", since: "2026-01-02T03:04:05.000Z" };

describe("a rendered explanation", () => {
  test("names the objects that the proxy refuses, since when, and what it gets instead", () => {
    const instead = { type: "earlier version", version: "41" } as const;
    const left = { object: configId("EnvoyFilter", "shop", "script"), reference: "", since: reviewsV2.since };
    const text = render({
      outcome: { type: "response", status: 404, body: "" },
      steps: [],
      quarantined: [
        { ...reviewsV2, instead, reason: "no such cluster" },
        { ...left, instead: { type: "nothing" }, reason: "script load error" },
        { ...left, instead: { type: "denied" }, reason: "bad rule" },
      ],
    });
    expect(text.replaceAll(/\s+/gu, " ")).toBe(
      "answered by the proxy with 404 " +
        "quarantined: VirtualService shop/reviews (mesh/reviews.yaml:12) since 2026-01-02T03:04:05.000Z; " +
        "the proxy gets earlier version 41 instead: no such cluster " +
        "quarantined: EnvoyFilter shop/script since 2026-01-02T03:04:05.000Z; " +
        "the proxy gets nothing instead: script load error " +
        "quarantined: EnvoyFilter shop/script since 2026-01-02T03:04:05.000Z; " +
        "the proxy gets a denial of all requests instead: bad rule",
    );
  });

  test("has the outcome, then the steps as a tree", () => {
    const text = render({
      outcome: {
        type: "forwarded",
        targets: [
          { cluster: "v1", share: 0.8 },
          { cluster: "v2", share: 0.2, problem: "has no endpoints" },
        ],
      },
      steps: [
        decision("listener", "0.0.0.0_80"),
        decision("route", "split", {
          owners: [rule, configId("ServiceEntry", "shop", "reviews")],
          notes: ["up to 2 retries on connect-failure, refused-stream, unavailable, cancelled, reset"],
          passedOver: [{ name: "canary", why: "header x is missing" }],
        }),
        cluster("v1", { share: 0.8, notes: ["subset v1"] }),
        cluster("v2", { share: 0.2, endpoints: [], problem: "has no endpoints" }),
      ],
    });
    expect(text).toBe(`\
forwarded
  80% to v1
  20% to v2, which has no endpoints

listener 0.0.0.0_80
│ it takes everything
└ route split
  │ it takes everything
  │ VirtualService shop/reviews (mesh/reviews.yaml:12)
  │ ServiceEntry shop/reviews
  │ up to 2 retries on connect-failure, refused-stream, unavailable, cancelled,
  │   reset
  │ not canary: header x is missing
  ├ 80% cluster v1
  │   subset v1
  │   → 10.0.0.1:80 (mutual TLS)
  └ 20% cluster v2
      it has no endpoints`);
  });

  test("ends with the last step", () => {
    const outcome = { type: "redirect", status: 301, location: "https://shop/" } as const;
    const steps = [
      decision("listener", "0.0.0.0_80"),
      decision("virtual host", "shop", { notes: ["it requires TLS"] }),
    ];
    expect(render({ outcome, steps })).toBe(`\
redirected with 301 to https://shop/

listener 0.0.0.0_80
│ it takes everything
└ virtual host shop
    it takes everything
    it requires TLS`);
  });

  test.each<[RequestOutcome, string]>([
    [{ type: "forwarded", targets: [{ cluster: "a", share: 1 }] }, "forwarded to a"],
    [{ type: "response", status: 204, body: "" }, "answered by the proxy with 204"],
    [{ type: "response", status: 503, body: "back soon" }, "answered by the proxy with 503: back soon"],
    [{ type: "unknown", reason: "an extension chooses" }, "unknown: an extension chooses"],
    [{ type: "refused", reason: "no route", status: 404, passedOver: [] }, "refused with 404: no route"],
    [
      { type: "refused", reason: "no chain", passedOver: [{ name: "tls", why: "it is for TLS" }] },
      "refused, the connection is closed: no chain\n  not tls: it is for TLS",
    ],
  ])("states the outcome: %o", (outcome, expected) => {
    expect(render({ outcome, steps: [] })).toBe(expected);
  });

  test("counts the owners of a resource with many owners", () => {
    const owners = ["a", "b", "c", "d"].map((name) => configId("ServiceEntry", "shop", name));
    const steps = [decision("listener", "0.0.0.0_80", { owners })];
    expect(render({ outcome: { type: "unknown", reason: "" }, steps })).toContain("\n  it is made from 4 objects");
  });

  test("cuts long lists, unless that would save a single line", () => {
    const outcome = { type: "unknown", reason: "" } as const;
    const [five, six] = [5, 6].map((length) => {
      const endpoints = Array.from({ length }, (_, index): ExplainedEndpoint => ({ address: `e${index}`, ...backup }));
      return render({ outcome, steps: [cluster("a", { endpoints })] });
    });
    expect(five).toContain("→ e4 (TLS, priority 1)");
    expect(six).toMatch(/→ e3 \(TLS, priority 1\)\n +and 2 more$/u);
  });
});

describe("wrapped text", () => {
  test("fits into 80 columns, except for longer words, and loses nothing", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,60}$/u), { minLength: 1, maxLength: 30 });
    const property = fc.property(words, fc.nat(12), fc.nat(12), (list, first, rest) => {
      const lines = wrap(list.join(" "), " ".repeat(first), " ".repeat(rest));
      const margins = lines.map((line) => line.length - line.trimStart().length);
      expect(margins).toEqual(lines.map((_, index) => (index === 0 ? first : rest + 2)));
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
      expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(list);
    });
    fc.assert(property, { seed, numRuns: runs(200) });
  });
});
