import type { HTTPRoute } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { deepEqual } from "../../../../lib/equal.ts";
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
      const { http, tcp, tls } = config.spec;
      checkRules(http.map(httpRule), matchCovers, { config, list: "http", context });
      checkRules(tcp.map(unnamedRule("tcp")), deepEqual, { config, list: "tcp", context });
      checkRules(tls.map(unnamedRule("tls")), deepEqual, { config, list: "tls", context });
    }
  },
};

interface Rule<Match> {
  readonly name: string;
  readonly matches: readonly Match[];
  /** A delegate may leave requests to later rules, so it takes nothing for sure. */
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

type Covers<Match> = (earlier: Match, later: Match) => boolean;

interface Listed {
  readonly config: Config;
  readonly list: "http" | "tcp" | "tls";
  readonly context: AnalysisContext;
}

/** A match that takes requests, and the rule it is of. */
interface Taker<Match> {
  readonly match: Match;
  readonly rule: string;
}

function checkRules<Match>(rules: readonly Rule<Match>[], covers: Covers<Match>, listed: Listed): void {
  const takers: Taker<Match>[] = [];
  for (const [index, rule] of rules.entries()) {
    checkMatches(rule, { index, takers, covers }, listed);
    if (rule.matches.length > 0 || rule.isDelegated) continue;
    reportBehind(rules, index, listed);
    return;
  }
}

interface Position<Match> {
  readonly index: number;
  /** Of the rules before it; those of the rule are added. */
  readonly takers: Taker<Match>[];
  readonly covers: Covers<Match>;
}

function checkMatches<Match>(
  { name, matches, isDelegated }: Rule<Match>,
  { index, takers, covers }: Position<Match>,
  { config, list, context }: Listed,
): void {
  let repeated = 0;
  for (const [at, match] of matches.entries()) {
    const taker = takers.find((earlier) => covers(earlier.match, match));
    if (taker === undefined) {
      if (!isDelegated) takers.push({ match, rule: name });
      continue;
    }
    if (covers(match, taker.match)) repeated += 1;
    const about = { config, path: `spec.${list}[${index}].match[${at}]` };
    context.report(messages.ineffectiveMatch, about, { match: at, rule: name, earlier: taker.rule });
  }
  if (repeated === 0 || repeated < matches.length) return;
  const reason = "rules before it have all its matches";
  context.report(messages.unreachableRule, { config, path: `spec.${list}[${index}]` }, { rule: name, reason });
}

/** What follows a rule without matches. */
function reportBehind<Match>(rules: readonly Rule<Match>[], taker: number, { config, list, context }: Listed): void {
  const reason = `the rule ${rules[taker]?.name} before it has no match, and takes everything`;
  for (const [index, { name }] of rules.entries()) {
    if (index <= taker) continue;
    context.report(messages.unreachableRule, { config, path: `spec.${list}[${index}]` }, { rule: name, reason });
  }
}
