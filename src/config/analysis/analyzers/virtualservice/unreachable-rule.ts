import type { HTTPMatchRequest, HTTPRoute, VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { Config } from "../../../config.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";
import { matchCovers } from "./match-covers.ts";

export const unreachableRule: Analyzer = {
  name: "virtualservice.UnreachableRuleAnalyzer",
  description: "Rules and matches that are never used, since earlier ones take all their requests",
  inputs: [virtualService],
  analyze(context) {
    for (const config of context.all(virtualService)) {
      const { http, tcp } = config.spec;
      const rules = http.map((rule) => ({ takesAll: rule.match.length === 0 && rule.delegate === undefined }));
      reportAfterAll(rules, { config, list: "http", context });
      reportAfterAll(
        tcp.map(({ match }) => ({ takesAll: match.length === 0 })),
        { config, list: "tcp", context },
      );
      for (const index of http.keys()) reportCovered(index, config, context);
    }
  },
};

interface Listed {
  readonly config: Config;
  readonly list: string;
  readonly context: AnalysisContext;
}

/** Once per list: what follows a rule without matches. */
function reportAfterAll(rules: readonly { readonly takesAll: boolean }[], { config, list, context }: Listed): void {
  const taker = rules.findIndex(({ takesAll }) => takesAll);
  if (taker === -1 || taker === rules.length - 1) return;
  const about = { config, path: `spec.${list}[${taker + 1}]` };
  const reason = `the rule ${list}[${taker}] before it has no match, and takes everything`;
  context.report(messages.unreachableRule, about, { rule: `${list}[${taker + 1}]`, reason });
}

function reportCovered(index: number, config: Config<VirtualService>, context: AnalysisContext): void {
  const { http } = config.spec;
  const rule = http[index];
  const matches = rule?.match ?? [];
  const covered = matches.map((match, at) => ({ match, at, by: coveringRule(match, http.slice(0, index)) }));
  const useless = covered.filter(({ by }) => by !== -1);
  const ruleName = nameOf(rule, index);
  if (useless.length > 0 && useless.length === matches.length) {
    const reason = `the rules before it take all its requests (${[...new Set(useless.map(({ by }) => nameOf(http[by], by)))].join(", ")})`;
    context.report(messages.unreachableRule, { config, path: `spec.http[${index}]` }, { rule: ruleName, reason });
    return;
  }
  for (const { at, by } of useless) {
    const about = { config, path: `spec.http[${index}].match[${at}]` };
    context.report(messages.ineffectiveMatch, about, { match: at, rule: ruleName, earlier: nameOf(http[by], by) });
  }
}

/** A delegate may leave requests to later rules, so it takes nothing for sure. */
function coveringRule(match: HTTPMatchRequest, earlier: readonly HTTPRoute[]): number {
  return earlier.findIndex((rule) => rule.delegate === undefined && rule.match.some((own) => matchCovers(own, match)));
}

function nameOf(rule: HTTPRoute | undefined, index: number): string {
  return rule?.name || `http[${index}]`;
}
