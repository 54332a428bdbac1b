import {
  AuthorizationPolicy_Action as Action,
  type AuthorizationPolicy,
  type Rule,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { RequestAuthentication } from "#gen/istio/security/v1beta1/request_authentication_pb.js";
import { ownValue } from "../../../lib/own-value.ts";
import type { Config, Labels } from "../../config.ts";
import { authorizationPolicy } from "../../kinds/authorization-policy.ts";
import { deployment, pod, service } from "../../kinds/kubernetes.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { requestAuthentication } from "../../kinds/request-authentication.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { readsHttp, readsTokens, ruleSays } from "../facts/rule-fields.ts";
import { TcpPorts } from "../facts/tcp-ports.ts";
import { messages } from "../messages.ts";

/** Limits of a policy that follow from other objects. */
export const authorizationRuleAnalyzer: Analyzer = {
  name: "authz.RuleAnalyzer",
  description: "Policies without their provider, and rules about tokens or HTTP where there are none",
  inputs: [authorizationPolicy, requestAuthentication, meshConfig, service, pod, deployment],
  analyze(context) {
    const { extensionProviders, rootNamespace } = currentMeshConfig(context);
    const providers = new Set(extensionProviders.map(({ name }) => name));
    const authentications = Map.groupBy(context.all(requestAuthentication), ({ namespace }) => namespace);
    const ports = new TcpPorts(context);
    for (const config of context.all(authorizationPolicy)) {
      checkProvider(config, providers, context);
      const isMeshWide = config.namespace === rootNamespace;
      const near = isMeshWide
        ? context.all(requestAuthentication)
        : [config.namespace, rootNamespace].flatMap((namespace) => authentications.get(namespace) ?? []);
      checkTokens(config, near, context);
      if (!isMeshWide) checkProtocols(config, ports, context);
    }
  },
};

function checkProvider(
  config: Config<AuthorizationPolicy>,
  providers: ReadonlySet<string>,
  context: AnalysisContext,
): void {
  const { action, actionDetail } = config.spec;
  if (action !== Action.CUSTOM || actionDetail.case !== "provider" || providers.has(actionDetail.value.name)) return;
  const instead = "the requests that it should decide about are denied";
  const about = { config, path: "spec.provider.name" };
  context.report(messages.danglingReference, about, { what: "provider", reference: actionDetail.value.name, instead });
}

function checkTokens(
  config: Config<AuthorizationPolicy>,
  near: readonly Config<RequestAuthentication>[],
  context: AnalysisContext,
): void {
  const index = config.spec.rules.findIndex((rule) => ruleSays(rule, readsTokens));
  if (index < 0 || near.some((authentication) => mayMeet(config, authentication))) return;
  context.report(messages.noTokens, { config, path: `spec.rules[${index}]` });
}

/** Whether both may apply to one workload. Only labels that contradict each other exclude it. */
function mayMeet(
  { spec: policy }: Config<AuthorizationPolicy>,
  { spec: authentication }: Config<RequestAuthentication>,
): boolean {
  const others: Labels = authentication.selector?.matchLabels ?? {};
  return Object.entries(policy.selector?.matchLabels ?? {}).every(([key, value]) => {
    const other = ownValue(others, key);
    return other === undefined || other === value;
  });
}

function checkProtocols(config: Config<AuthorizationPolicy>, ports: TcpPorts, context: AnalysisContext): void {
  const { selector, targetRef, targetRefs, rules, action } = config.spec;
  if (targetRef !== undefined || targetRefs.length > 0) return;
  const index = rules.findIndex((rule) => ruleSays(rule, readsHttp));
  const rule = rules[index];
  if (rule === undefined) return;
  const found = ports.of(selector?.matchLabels ?? {}, config.namespace);
  const lost = found.tcp.filter((port) => namesPort(rule, port) || (!found.hasOthers && !namesPorts(rule)));
  if (lost.length === 0) return;
  const effect = action === Action.ALLOW ? "it allows nothing" : "it matches connections by its other fields alone";
  context.report(messages.httpRuleOnTcp, { config, path: `spec.rules[${index}]` }, { ports: lost.join(", "), effect });
}

function namesPorts({ to }: Rule): boolean {
  return to.some(({ operation }) => (operation?.ports.length ?? 0) > 0);
}

function namesPort({ to }: Rule, port: number): boolean {
  return to.some(({ operation }) => operation?.ports.includes(String(port)));
}
