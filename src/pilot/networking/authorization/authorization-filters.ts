import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { ExtAuthzProvider } from "../../model/policy/ext-authz-provider.ts";
import type { ExtensionProvider } from "../../model/policy/extension-provider.ts";
import type { TrafficPolicies } from "../../model/policy/traffic-policies.ts";
import type { Direction, FilterSource, NetworkContext } from "../filters/filter.ts";
import { customFilters } from "./custom-filters.ts";
import { rbacFilters } from "./rbac-filters.ts";
import type { RuleReader } from "./rbac-rule.ts";

interface AuthorizationContext {
  readonly direction: Direction;
  readonly mesh: MeshSettings;
  readonly policies: TrafficPolicies;
}

/** Asks the providers of CUSTOM policies, before tokens are read. */
export const customAuthorization: FilterSource = (context, writer) => custom(context, "http", writer);

/** The AUDIT, DENY and ALLOW policies, after tokens are read. */
export const authorization: FilterSource = (context, writer) => builtIn(context, "http", writer);

/** The same for connections without requests. The connection manager's filters decide about requests. */
export const networkCustomAuthorization: FilterSource<NetworkContext> = (context, writer) =>
  context.carries === "tcp" ? custom(context, "tcp", writer) : [];

export const networkAuthorization: FilterSource<NetworkContext> = (context, writer) =>
  context.carries === "tcp" ? builtIn(context, "tcp", writer) : [];

/** The server of a request decides about it, not its client. */
function custom(context: AuthorizationContext, carries: RuleReader["carries"], writer: ProtoWriter) {
  const { direction, mesh, policies } = context;
  if (direction === "outbound") return [];
  const providers = policies.providers.filter(isAuthorizationService);
  return customFilters(policies.authorization, providers, readerOf(carries, mesh), writer);
}

function builtIn(context: AuthorizationContext, carries: RuleReader["carries"], writer: ProtoWriter) {
  const { direction, mesh, policies } = context;
  if (direction === "outbound") return [];
  return rbacFilters(policies.authorization, readerOf(carries, mesh), writer);
}

function isAuthorizationService(provider: ExtensionProvider): provider is ExtAuthzProvider {
  return provider.type === "ext-authz-grpc" || provider.type === "ext-authz-http";
}

function readerOf(carries: RuleReader["carries"], { trustDomain, trustDomainAliases }: MeshSettings): RuleReader {
  return { carries, trustDomains: [trustDomain, ...trustDomainAliases], hostsByRegex: false, templatesByRegex: false };
}
