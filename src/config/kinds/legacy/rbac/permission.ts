import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AccessRule, AccessRule_Constraint } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import type { OperationSchema } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { fieldPath } from "../../../field-path.ts";
import type { Finding } from "../../../finding.ts";
import { type ConditionInit, grantsNothing, refusals } from "./grant.ts";

/** A legacy access rule in terms of an AuthorizationPolicy. Of each list of patterns, one must match. */
export interface Permission {
  /** Patterns of hostnames; empty for all services. */
  readonly services: readonly string[];
  /** Patterns of short names, one list per constraint. */
  readonly names: readonly (readonly string[])[];
  /** Patterns of namespaces, one list per constraint. */
  readonly namespaces: readonly (readonly string[])[];
  /** The labels of the workloads, each with its possible values. */
  readonly labels: readonly (readonly [label: string, values: readonly string[]])[];
  /** Undefined for all operations. */
  readonly operation: MessageInitShape<typeof OperationSchema> | undefined;
  readonly when: readonly ConditionInit[];
  /** Fields that cannot be expressed. With any of them, the rule grants nothing. */
  readonly problems: readonly Finding[];
}

export function permissionOf(rule: AccessRule, path: string): Permission {
  const { services, hosts, notHosts, paths, notPaths, methods, notMethods } = rule;
  const [ports, notPorts] = [rule.ports.map(String), rule.notPorts.map(String)];
  const operation = { hosts, notHosts, paths, notPaths, methods, notMethods, ports, notPorts };
  const isAny = Object.values(operation).every((list) => list.length === 0);
  const constraints = rule.constraints.map((each, index) => read(each, fieldPath(path, "constraints", index)));
  return {
    services,
    names: constraints.flatMap(({ names }) => (names === undefined ? [] : [names])),
    namespaces: constraints.flatMap(({ namespaces }) => (namespaces === undefined ? [] : [namespaces])),
    labels: constraints.flatMap(({ label }) => (label === undefined ? [] : [label])),
    operation: isAny ? undefined : operation,
    when: constraints.flatMap(({ when }) => when ?? []),
    problems: [
      ...templates(paths, fieldPath(path, "paths")),
      ...templates(notPaths, fieldPath(path, "notPaths")),
      ...emptyTexts({ services, hosts, notHosts, paths, notPaths, methods, notMethods }, path),
      ...constraints.flatMap(({ problems }) => problems ?? []),
    ],
  };
}

/** An AuthorizationPolicy would read the braces as a template. */
function templates(paths: readonly string[], path: string): readonly Finding[] {
  return paths.flatMap((value, index) =>
    /[{}]/u.test(value)
      ? grantsNothing(fieldPath(path, index), "a path with braces is a template in an AuthorizationPolicy")
      : [],
  );
}

function emptyTexts(lists: Readonly<Record<string, readonly string[]>>, path: string): readonly Finding[] {
  return Object.entries(lists).flatMap(([field, list]) =>
    list.flatMap((value, index) =>
      value === "" ? grantsNothing(fieldPath(path, field, index), "an empty text matches nothing") : [],
    ),
  );
}

interface Constraint {
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly label?: Permission["labels"][number];
  readonly when?: readonly ConditionInit[];
  readonly problems?: readonly Finding[];
}

const labelKey = /^destination\.labels\[(?<label>[^[\]]+)\]$/u;
/** Keys that both old and new policies have. Everything else would be ignored, and the rule would grant too much. */
const requestKey =
  /^(?:destination\.ip|destination\.port|connection\.sni|request\.headers\[[^[\]]+\]|experimental\.envoy\.filters\.[^[\]]+\[[^[\]]+\])$/u;

function read({ key, values }: AccessRule_Constraint, path: string): Constraint {
  if (key === "destination.name") return { names: values };
  if (key === "destination.namespace") return { namespaces: values };
  const label = labelKey.exec(key)?.groups?.["label"];
  if (label !== undefined) return labelConstraint(label, values, path);
  if (!requestKey.test(key)) {
    return { problems: [grantsNothing(`${path}.key`, `an AuthorizationPolicy cannot match "${key}"`)] };
  }
  const when = { key, values };
  return { when: [when], problems: refusals(when, path) };
}

function labelConstraint(label: string, values: readonly string[], path: string): Constraint {
  const index = values.findIndex((value) => value.includes("*"));
  if (index === -1) return { label: [label, values] };
  const why = `the selector of an AuthorizationPolicy has no wildcards`;
  return { problems: [grantsNothing(fieldPath(path, "values", index), why)] };
}
