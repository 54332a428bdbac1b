import { expect, test } from "vitest";
import { configsIn } from "../../testing/config/configs-in.ts";
import { type Config, configKey } from "../config.ts";
import { destinationRule } from "../kinds/destination-rule.ts";
import { virtualService } from "../kinds/virtual-service.ts";
import { kinds } from "../kinds.ts";
import { analysisInput } from "./analysis-input.ts";
import { type AnalysisReport, analyze, analyzeStepwise } from "./analyze.ts";
import type { AnalysisContext, AnalysisInput, Analyzer } from "./analyzer.ts";
import { analyzers } from "./analyzers.ts";
import { LastLook } from "./last-look.ts";
import { messages } from "./messages.ts";

type Views = ReadonlyMap<string, ReadonlyMap<string, Config>>;

function viewsOf(text: string): Views {
  const configs = Map.groupBy(configsIn(text), ({ kind }) => kind);
  return new Map(
    kinds.map(({ kind }) => [kind, new Map((configs.get(kind) ?? []).map((each) => [configKey(each), each]))]),
  );
}

function inputOf(views: Views, now = 0): AnalysisInput {
  return analysisInput({ domain: "cluster.local", now, viewOf: ({ kind }) => views.get(kind) });
}

const route = (host: string, subset: string) => `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: a, namespace: shop }
spec: { hosts: [a.com], http: [{ route: [{ destination: { host: ${host}, subset: ${subset} } }] }] }
`;

const rest = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: a, namespace: shop }
spec: { hosts: [a.com], resolution: STATIC, location: MESH_INTERNAL, ports: [{ number: 80, name: http, protocol: HTTP }] }
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: { name: a, namespace: shop }
spec: { host: a.com, subsets: [{ name: v1, labels: { version: v1 } }] }
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { selector: { app: nobody }, servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }] }
`;

/** Looks at one input after another. Returns the names of the analyzers that ran, and the texts of all messages. */
function looking(all: readonly Analyzer[] = analyzers) {
  const last = new LastLook();
  let ran: string[] = [];
  const noting = all.map((analyzer) => ({
    ...analyzer,
    analyze(context: AnalysisContext) {
      ran.push(analyzer.name);
      analyzer.analyze(context);
    },
  }));
  return (input: AnalysisInput) => {
    ran = [];
    const steps = analyzeStepwise(noting, input, last);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { ran, texts: textsOf(step.value) };
    }
  };
}

function textsOf({ messages }: AnalysisReport): readonly string[] {
  return messages.map(({ text }) => text);
}

test("only analyzers that read a changed kind look again, and the report is that of a first look", () => {
  const look = looking();
  const before = viewsOf(`${route("a.com", "v1")}\n---\n${rest}`);
  const first = new Set(look(inputOf(before)).ran);
  expect(look(inputOf(before)).ran).toEqual([]);
  const edited = viewsOf(route("a.com", "v2")).get(virtualService.kind) ?? new Map<string, Config>();
  const after = inputOf(new Map([...before, [virtualService.kind, edited]]));
  const { ran, texts } = look(after);
  const reading = analyzers.filter(({ name, inputs }) => first.has(name) && inputs.includes(virtualService));
  expect(ran).toEqual(reading.map(({ name }) => name));
  expect(ran.length).toBeLessThan(analyzers.length / 2);
  expect(texts).toEqual(textsOf(analyze(analyzers, after)));
  expect(texts.join()).toContain("v2");
});

test("an analyzer that reads the time looks at every moment", () => {
  const timed: Analyzer = {
    name: "timed",
    description: "",
    inputs: [virtualService],
    analyze(context) {
      for (const config of context.all(virtualService))
        if (context.now > 5) context.report(messages.injectedByDefault, { config });
    },
  };
  const look = looking([timed]);
  const views = viewsOf(route("a.com", "v1"));
  expect([0, 6].map((now) => look(inputOf(views, now)).texts.length)).toEqual([0, 1]);
});

test("a kind that becomes known is looked at", () => {
  const look = looking();
  const views = viewsOf(route("b.com", "v1"));
  const unknown = new Map([...views].filter(([kind]) => kind !== destinationRule.kind));
  look(inputOf(unknown));
  expect(look(inputOf(views)).ran).toContain("virtualservice.DestinationRuleAnalyzer");
});
