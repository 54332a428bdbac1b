import type {
  Attribute,
  AttributeMatch,
  AuthorizationPolicy,
  AuthorizationRule,
} from "../../pilot/model/policy/authorization-policy.ts";
import { withAliases } from "../../pilot/networking/authorization/trust-domains.ts";
import { allOf, anyOf, type Certainty, opposite } from "./certainty.ts";

/** The facts that are known before there is a request. */
export interface KnownCall {
  /** The namespace of the caller. Its service account is not known. */
  readonly namespace: string;
  /** Whether the caller proves its identity by mutual TLS. */
  readonly isIdentified: boolean;
  /** The trust domain of the mesh, then its aliases. */
  readonly trustDomains: readonly string[];
  /** The port of the workload. */
  readonly port: number;
  /** The protocols of the port; both if the proxy detects the protocol. */
  readonly carries: readonly ("http" | "tcp")[];
}

/** The policy of a rule. */
type RulePolicy = Pick<AuthorizationPolicy, "action" | "namespace">;

/** Whether requests of the caller match the rule of a policy. */
export function ruleMatches(rule: AuthorizationRule, call: KnownCall, policy: RulePolicy): Certainty {
  return agreed(call.carries.map((carried) => matchesOver(carried, rule, call, policy)));
}

/**
 * A connection without requests has nothing that HTTP attributes are about. ALLOW must not be wider for it: a rule with
 * such an attribute does not match. Other actions must not be narrower: such attributes are left out.
 */
function matchesOver(
  carried: "http" | "tcp",
  rule: AuthorizationRule,
  call: KnownCall,
  { action, namespace }: RulePolicy,
): Certainty {
  if (carried === "http") return wholeRuleMatches(rule, call, namespace);
  const { sources, operations, conditions } = rule;
  const all = [...sources.flat(), ...operations.flat(), ...conditions];
  if (action === "allow" && all.some(isAboutHttp)) return "never";
  const rest = (matches: readonly AttributeMatch[]) => matches.filter((match) => !isAboutHttp(match));
  const without = { sources: sources.map(rest), operations: operations.map(rest), conditions: rest(conditions) };
  return wholeRuleMatches(without, call, namespace);
}

function isAboutHttp({ attribute }: AttributeMatch): boolean {
  return attribute.startsWith("request.");
}

/** Answers that differ make it uncertain. */
function agreed([first = "sometimes", ...others]: readonly Certainty[]): Certainty {
  return others.every((answer) => answer === first) ? first : "sometimes";
}

function wholeRuleMatches(rule: AuthorizationRule, call: KnownCall, policyNamespace: string): Certainty {
  const matches = (match: AttributeMatch) => attributeMatches(match, call, policyNamespace);
  const alternatives = (lists: AuthorizationRule["sources"]) =>
    lists.length === 0 ? "always" : anyOf(lists.map((list) => allOf(list.map(matches))));
  return allOf([alternatives(rule.sources), alternatives(rule.operations), ...rule.conditions.map(matches)]);
}

/** The certificate of the caller may have any of the trust domains. */
function attributeMatches(written: AttributeMatch, call: KnownCall, policyNamespace: string): Certainty {
  const match = withAliases(written, call.trustDomains);
  const answers = call.trustDomains.map((trustDomain) => {
    const matches = (value: string) =>
      known[match.attribute]?.(value, { ...call, trustDomain, policyNamespace }) ?? "sometimes";
    const { values, notValues } = match;
    return allOf([
      values.length === 0 ? "always" : anyOf(values.map(matches)),
      opposite(anyOf(notValues.map(matches))),
    ]);
  });
  return agreed(answers);
}

interface Asked extends KnownCall {
  readonly trustDomain: string;
  readonly policyNamespace: string;
}

type ValueMatch = (value: string, asked: Asked) => Certainty;

/** An attribute that only a certificate proves never matches a caller without one. */
function identified(matches: ValueMatch): ValueMatch {
  return (value, asked) => (asked.isIdentified ? matches(value, asked) : "never");
}

/** Attributes that are known before there is a request. All others depend on the request. */
const known: Partial<Record<Attribute, ValueMatch>> = {
  "source.namespace": identified((value, { namespace }) => certain(isText(value, namespace))),
  "source.principal": identified((value, { trustDomain, namespace }) =>
    beginningMatches(value, `${trustDomain}/ns/${namespace}/sa/`),
  ),
  "source.serviceAccount": identified((value, { namespace, policyNamespace }) =>
    beginningMatches(value.includes("/") ? value : `${policyNamespace}/${value}`, `${namespace}/`),
  ),
  "source.trustDomain": identified((value, { trustDomain }) => certain(isText(value, trustDomain))),
  "destination.port": (value, { port }) => certain(String(port) === value),
};

function certain(holds: boolean): Certainty {
  return holds ? "always" : "never";
}

/** `*`, `*suffix`, `prefix*`, or the exact text. */
function isText(pattern: string, text: string): boolean {
  if (pattern === "*") return text !== "";
  if (pattern.startsWith("*")) return text.endsWith(pattern.slice(1));
  return pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : pattern === text;
}

/** The same for a text of which only the beginning is known. */
function beginningMatches(pattern: string, beginning: string): Certainty {
  if (pattern === "*") return "always";
  if (pattern.startsWith("*")) return "sometimes";
  if (!pattern.endsWith("*")) return pattern.startsWith(beginning) ? "sometimes" : "never";
  const prefix = pattern.slice(0, -1);
  if (beginning.startsWith(prefix)) return "always";
  return prefix.startsWith(beginning) ? "sometimes" : "never";
}
