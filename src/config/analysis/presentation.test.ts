import { describe, expect, test } from "vitest";
import { inputFrom } from "../../testing/config/analysis-input.ts";
import { kinds } from "../kinds.ts";
import { parseConfigs } from "../parse/parse.ts";
import { analyze } from "./analyze.ts";
import { analyzers } from "./analyzers.ts";
import { issueMessages } from "./issue-messages.ts";
import { type Message, messageJson, messageLine, messageLocation, reaches, subjectText } from "./message.ts";
import { messages } from "./messages.ts";
import { inOrder } from "./order.ts";
import { sarifOf } from "./sarif.ts";
import { isInNamespaces, isSuppressed, readSuppression } from "./suppression.ts";

const text = `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: web, namespace: shop }
spec:
  hosts: [web]
  gateways:
    - mesh
    - edge/main
  http:
    - route: [{ destination: { host: nobody } }]
`;

const found = analyze(analyzers, inputFrom([{ file: "mesh/web.yaml", text }])).messages;

function messageOf(
  type: Message["type"],
  { origin = "Gateway shop/a", sentence = "x", annotations = {} } = {},
): Message {
  const [kind = "", key = ""] = origin.split(" ");
  const [name = "", namespace = ""] = key.split("/").toReversed();
  const subject = origin === "" ? undefined : { kind, name, namespace, annotations, locate: () => undefined };
  return { type, text: sentence, subject, path: "" };
}

describe("a message", () => {
  test("is one line with the exact place of the field", () => {
    expect(found.map(messageLine)).toEqual([
      'Error [IST0101] (VirtualService shop/web mesh/web.yaml:8) the gateway "edge/main" was not found',
      'Error [IST0101] (VirtualService shop/web mesh/web.yaml:10) the host "nobody" was not found',
      "Warning [IST0132] (VirtualService shop/web mesh/web.yaml:8) the gateway edge/main serves none of the hosts web",
    ]);
  });

  test("is JSON of istioctl's shape", () => {
    expect(found.map(messageJson)[0]).toEqual({
      code: "IST0101",
      level: "Error",
      origin: "VirtualService shop/web",
      message: 'the gateway "edge/main" was not found',
      reference: "mesh/web.yaml:8",
      documentationUrl: "https://istio.io/latest/docs/reference/config/analysis/ist0101/",
    });
  });

  test("without an object has no origin", () => {
    expect(messageLine(messageOf(messages.internalError, { origin: "" }))).toBe("Error [IST0001] x");
  });
});

describe("messages", () => {
  const error = messages.referencedResourceNotFound;

  test("are ordered by level, code, object and text; messages without an object come first", () => {
    const ordered = [
      messageOf(messages.internalError),
      messageOf(error, { origin: "" }),
      messageOf(error, { origin: "Gateway a/a", sentence: "a" }),
      messageOf(error, { origin: "Gateway a/a", sentence: "b" }),
      messageOf(error, { origin: "Gateway b/a", sentence: "a" }),
      messageOf(messages.podMissingProxy),
      messageOf(messages.namespaceNotInjected),
    ];
    expect(inOrder(ordered.toReversed())).toEqual(ordered);
    expect(inOrder([...ordered.slice(3), ...ordered.slice(0, 3)])).toEqual(ordered);
  });

  test("that are equal for one object appear once", () => {
    const twice = [messageOf(error), messageOf(error), messageOf(error, { sentence: "y" })];
    expect(inOrder(twice).map(({ text: sentence }) => sentence)).toEqual(["x", "y"]);
  });

  test("that are equal and without an object differ by their places", () => {
    const lost = { severity: "error", code: "not-a-mapping", object: "", path: "", message: "x" } as const;
    const places = [1, 2, 2].map((line) => ({ ...lost, place: { file: "a.yaml", line, column: 1 } }));
    expect(inOrder(issueMessages(places)).map((message) => messageLocation(message)?.line)).toEqual([1, 2]);
  });

  test.each([
    ["Error", 1],
    ["Warning", 2],
    ["Info", 3],
  ] as const)("that reach %s are at least as urgent", (level, count) => {
    const all = [error, messages.podMissingProxy, messages.namespaceNotInjected].map((type) => messageOf(type));
    expect(all.filter((message) => reaches(message, level))).toHaveLength(count);
  });
});

describe("a suppression", () => {
  const message = messageOf(messages.podMissingProxy, { origin: "Pod shop/web-1" });
  const suppressed = (...texts: readonly string[]) =>
    isSuppressed(
      message,
      texts.flatMap((each) => readSuppression(each) ?? []),
    );

  test.each([
    ["IST0103=Pod shop/web-1", true],
    ["IST0103=Pod shop/*", true],
    ["IST0103=* *-1", true],
    ["IST0103=*", true],
    ["IST0103=Pod web-*.shop", true],
    ["IST0103=Pod shop/web", false],
    ["IST0103=pod shop/web-1", false],
    ["IST0103=Pod shop/web.1", false],
    ["IST0102=Pod shop/web-1", false],
  ])("%s: %s", (written, expected) => {
    expect(suppressed(written)).toBe(expected);
  });

  test.each(["IST0103", "=Pod", "Pod shop/web", ""])("is not written %j", (written) => {
    expect(readSuppression(written)).toBeUndefined();
  });

  test.each([
    ["*", true],
    ["IST0103", true],
    ["IST0102, IST0103", true],
    ["IST0102", false],
    ["", false],
  ])("may be on the object itself: %j", (annotation, expected) => {
    const annotations = { "galley.istio.io/analyze-suppress": annotation };
    expect(isSuppressed(messageOf(messages.podMissingProxy, { annotations }), [])).toBe(expected);
  });

  test("does not apply to messages without an object", () => {
    const internal = messageOf(messages.internalError, { origin: "" });
    expect(isSuppressed(internal, [{ code: "IST0001", origin: "*" }])).toBe(false);
  });
});

test("a namespace filter keeps messages without a namespace", () => {
  const origins = ["", "Namespace shop", "Pod shop/a", "Pod other/a"];
  const kept = origins.map((origin) => messageOf(messages.podMissingProxy, { origin }));
  expect(kept.filter((message) => isInNamespaces(message, ["shop"])).map(subjectText)).toEqual(origins.slice(0, 3));
});

test("an issue of validation is a message with its place", () => {
  const bad = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: main, namespace: shop }
spec:
  serverz: []
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: a }
`;
  const { issues } = parseConfigs({ text: bad, file: "a.yaml", source: "a", kinds, defaultNamespace: "default" });
  const lines = issueMessages(issues).map(messageLine);
  expect(lines).toContainEqual(
    expect.stringMatching(/^Error \[IST0106\] \(Gateway shop\/main a\.yaml:5\) spec\.serverz: /u),
  );
  expect(lines.filter((line) => line.includes("Widget"))).toEqual([]);
});

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly rules: readonly { readonly id: string; readonly helpUri: string }[] };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { readonly startLine: number; readonly startColumn: number };
        };
      }[];
    }[];
  }[];
}

const uriOf = (file: string) => {
  const subject = {
    kind: "Pod",
    name: "a",
    namespace: "",
    annotations: {},
    locate: () => ({ file, line: 1, column: 1 }),
  };
  const sarif = sarifOf([{ type: messages.podMissingProxy, text: "x", subject, path: "" }], {
    version: "1",
  }) as Sarif;
  return sarif.runs[0]?.results[0]?.locations[0]?.physicalLocation.artifactLocation.uri;
};

describe("SARIF", () => {
  const { version, runs } = sarifOf(found, { version: "1.0.0" }) as Sarif;
  const [run] = runs;

  test("is of version 2.1.0 and has one run with the rules that were broken, each once", () => {
    expect(version).toBe("2.1.0");
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(["IST0101", "IST0132"]);
    expect(run?.tool.driver.rules.every(({ helpUri }) => URL.canParse(helpUri))).toBe(true);
  });

  test("has a result per message, which points to its rule and to the line", () => {
    expect(run?.results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level])).toEqual([
      ["IST0101", 0, "error"],
      ["IST0101", 0, "error"],
      ["IST0132", 1, "warning"],
    ]);
    expect(run?.results[0]?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: "mesh/web.yaml" },
      region: { startLine: 8, startColumn: 7 },
    });
  });

  test("writes paths as URIs, relative ones relative", () => {
    expect(["./a b.yaml", "/etc/ä.yaml", "<stdin>"].map(uriOf)).toEqual([
      "a%20b.yaml",
      "file:///etc/%C3%A4.yaml",
      "%3Cstdin%3E",
    ]);
  });

  test("of a mesh without findings is a run without results", () => {
    expect(sarifOf([], { version: "1" })).toMatchObject({ runs: [{ results: [], tool: { driver: { rules: [] } } }] });
  });
});
