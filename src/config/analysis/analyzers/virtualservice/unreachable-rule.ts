import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { deepEqual } from "../../../../lib/equal.ts";
import type { Config } from "../../../config.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";
import { httpConditions, matchCovers, wholeCondition } from "./match-conditions.ts";
import { MatchIndex, type Relation } from "./match-index.ts";

const ofRequests: Relation<HTTPRoute["match"][number]> = { conditionsOf: httpConditions, covers: matchCovers };
const ofConnections: Relation<object> = { conditionsOf: wholeCondition, covers: deepEqual };

export const unreachableRuleAnalyzer: Analyzer = {
  name: "virtualservice.UnreachableRuleAnalyzer",
  description: "Rules and matches that are never used, since earlier ones take all their requests",
  inputs: [virtualService],
  analyze(context) {
    for (const config of context.all(virtualService)) {
      const { http, tcp, tls } = config.spec;
      checkRules(http.map(httpRule), ofRequests, { config, list: "http", context });
      checkRules(tcp.map(unnamedRule("tcp")), ofConnections, { config, list: "tcp", context });
      checkRules(tls.map(unnamedRule("tls")), ofConnections, { config, list: "tls", context });
    }
  },
};

interface Rule<Match> {
  readonly name: string;
  readonly matches: readonly Match[];
  /** A delegate may leave requests to later rules, so it may take no request at all. */
  readonly isDelegated: boolean;
}

function httpRule({ name, match, delegate }: HTTPRoute, index: number): Rule<HTTPRoute["match"][number]> {
  return { name: name || `http[${index}]`, matches: match, isDelegated: delegate !== undefined };
}

function unnamedRule(list: string) {
  return <Match>({ match }: { readonly match: readonly Match[] }, index: number): Rule<Match> => {
    return { name: `${list}[${index}]`, matches: match, isDelegated: false };
  };
}

interface Listed {
  readonly config: Config;
  readonly list: "http" | "tcp" | "tls";
  readonly context: AnalysisContext;
}

function checkRules<Match>(rules: readonly Rule<Match>[], relation: Relation<Match>, listed: Listed): void {
  const earlier = new MatchIndex(
    rules.flatMap(({ matches }) => matches),
    relation,
  );
  for (const [index, rule] of rules.entries()) {
    checkMatches(rule, { index, earlier, relation }, listed);
    if (rule.matches.length > 0 || rule.isDelegated) continue;
    reportBehind(rules, index, listed);
    return;
  }
}

interface Position<Match> {
  readonly index: number;
  /** The matches of earlier rules. The rule adds its own matches. */
  readonly earlier: MatchIndex<Match>;
  readonly relation: Relation<Match>;
}

function checkMatches<Match>(
  { name, matches, isDelegated }: Rule<Match>,
  { index, earlier, relation }: Position<Match>,
  { config, list, context }: Listed,
): void {
  let repeated = 0;
  for (const [at, match] of matches.entries()) {
    const coveredBy = earlier.find(match);
    if (coveredBy === undefined) {
      if (!isDelegated) earlier.add({ match, rule: name });
      continue;
    }
    if (relation.covers(match, coveredBy.match)) repeated += 1;
    const about = { config, path: `spec.${list}[${index}].match[${at}]` };
    context.report(messages.ineffectiveMatch, about, { match: at, rule: name, earlier: coveredBy.rule });
  }
  if (repeated === 0 || repeated < matches.length) return;
  const reason = "earlier rules have all its matches";
  context.report(messages.unreachableRule, { config, path: `spec.${list}[${index}]` }, { rule: name, reason });
}

/** Reports the rules after a rule without matches. */
function reportBehind<Match>(
  rules: readonly Rule<Match>[],
  coveredBy: number,
  { config, list, context }: Listed,
): void {
  const reason = `the earlier rule ${rules[coveredBy]?.name} has no match and takes every request`;
  for (const [index, { name }] of rules.entries()) {
    if (index <= coveredBy) continue;
    context.report(messages.unreachableRule, { config, path: `spec.${list}[${index}]` }, { rule: name, reason });
  }
}
