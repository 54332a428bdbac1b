import type { PermissionSchema } from "#gen/envoy/config/rbac/v3/rbac_pb.js";
import { UriTemplateMatchConfigSchema } from "#gen/envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.js";
import type { MessageLiteral, ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Attribute } from "../../model/policy/authorization-policy.ts";
import { cidrRangeOf } from "../listener/cidr.ts";
import {
  anyValue,
  headerMatcher,
  listValue,
  metadataMatcher,
  quoted,
  regexHeaderMatcher,
  regexMatcher,
  textMatcher,
  textValue,
} from "./patterns.ts";

export type Permission = MessageLiteral<typeof PermissionSchema>;

/** The proxy that reads the permissions, as far as it lacks matchers. */
export interface PermissionReader {
  /** Envoys before Istio 1.11 have no `string_match` of headers. */
  readonly hostsByRegex: boolean;
  /** gRPC servers have no templates of paths. */
  readonly templatesByRegex: boolean;
}

/** The authority may be in any case, and may have a port: then only a pattern with the port matches it. */
function byHost(value: string, { hostsByRegex }: PermissionReader): Permission {
  const header = hostsByRegex ? regexHeaderMatcher(":authority", value) : headerMatcher(":authority", value, true);
  return { rule: { case: "header", value: header } };
}

function byMethod(value: string): Permission {
  return { rule: { case: "header", value: headerMatcher(":method", value, false) } };
}

/** `{*}` is one segment of a path, `{**}` any number of them. */
function byPath(value: string, { templatesByRegex }: PermissionReader, writer: ProtoWriter): Permission {
  const isTemplate = value.includes("{*}") || value.includes("{**}");
  if (isTemplate && !templatesByRegex) return byTemplate(value, writer);
  const matcher = isTemplate ? regexMatcher(templateRegex(value)) : textMatcher(value);
  return { rule: { case: "urlPath", value: { rule: { case: "path", value: matcher } } } };
}

function templateRegex(template: string): string {
  const segment = "[^/]+";
  return template
    .split("{**}")
    .map((part) => part.split("{*}").map(quoted).join(segment))
    .join(".*");
}

function byTemplate(value: string, writer: ProtoWriter): Permission {
  const pathTemplate = value.replaceAll("{*}", "*").replaceAll("{**}", "**");
  const typedConfig = writer.any(UriTemplateMatchConfigSchema, { pathTemplate });
  return { rule: { case: "uriTemplate", value: { name: "uri-template", typedConfig } } };
}

function byPort(value: string): Permission {
  return { rule: { case: "destinationPort", value: Number(value) } };
}

function byDestinationIp(subnet: string): Permission {
  return { rule: { case: "destinationIp", value: cidrRangeOf(subnet) } };
}

function bySni(value: string): Permission {
  return { rule: { case: "requestedServerName", value: textMatcher(value) } };
}

/** Metadata that another filter wrote. A value in brackets is an item of a list. */
function byMetadata([filter = "", ...keys]: readonly string[], values: readonly string[]): Permission {
  const matchers = values.map((value) =>
    value.startsWith("[") && value.endsWith("]")
      ? listValue(textValue(textMatcher(value.replaceAll(/^[[\]]+|[[\]]+$/gu, ""))))
      : textValue(textMatcher(value)),
  );
  return { rule: { case: "metadata", value: metadataMatcher(filter, keys, anyValue(matchers)) } };
}

export function allOf(rules: readonly Permission[]): Permission {
  return { rule: { case: "andRules", value: { rules } } };
}

function oneOf(rules: readonly Permission[]): Permission {
  return { rule: { case: "orRules", value: { rules } } };
}

export function not(rule: Permission): Permission {
  return { rule: { case: "notRule", value: rule } };
}

export const anything: Permission = { rule: { case: "any", value: true } };

/** A match of one attribute: its name in brackets, and the proxy that reads it. */
interface MatchContext {
  readonly key: readonly string[];
  readonly reader: PermissionReader;
  readonly writer: ProtoWriter;
}

type PermissionMatcher = (values: readonly string[], context: MatchContext) => Permission;

/** By attribute: one match for all values of a list. Undefined for attributes of the client. */
const matchers: Readonly<Record<Attribute, PermissionMatcher | undefined>> = {
  "request.host": (values, { reader }) => oneOf(values.map((value) => byHost(value, reader))),
  "request.method": (values) => oneOf(values.map(byMethod)),
  "request.path": (values, { reader, writer }) => oneOf(values.map((value) => byPath(value, reader, writer))),
  "destination.port": (values) => oneOf(values.map(byPort)),
  "destination.ip": (values) => oneOf(values.map(byDestinationIp)),
  "connection.sni": (values) => oneOf(values.map(bySni)),
  "envoy.filters": (values, { key }) => byMetadata(key, values),
  "request.headers": undefined,
  "request.auth.principal": undefined,
  "request.auth.audiences": undefined,
  "request.auth.presenter": undefined,
  "request.auth.claims": undefined,
  "source.principal": undefined,
  "source.namespace": undefined,
  "source.serviceAccount": undefined,
  "source.trustDomain": undefined,
  "source.ip": undefined,
  "remote.ip": undefined,
};

export function permissionMatcher(attribute: Attribute): PermissionMatcher | undefined {
  return matchers[attribute];
}
