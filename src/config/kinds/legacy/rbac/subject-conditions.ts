import type { Subject } from "#gen/istio/rbac/v1alpha1/rbac_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import { fieldPath } from "../../../field-path.ts";
import type { Finding } from "../../../finding.ts";
import { type ConditionInit, grantsNothing, refusals } from "./grant.ts";

/** A legacy subject as conditions of an AuthorizationPolicy, all of which must hold. */
export interface SubjectConditions {
  /** Empty for everybody. */
  readonly when: readonly ConditionInit[];
  /** Fields that cannot be expressed. With any of them, the subject gets nothing. */
  readonly problems: readonly Finding[];
}

interface Read {
  readonly when?: ConditionInit;
  readonly problem?: Finding;
}

const principal = "source.principal";
const groups = "request.auth.claims[groups]";
const namespace = "source.namespace";
const address = "source.ip";

export function subjectConditions(subject: Subject, path: string): SubjectConditions {
  const reads = [
    ...user(subject.user),
    ...named(subject.names),
    ...notNamed(subject.notNames, `${path}.notNames`),
    ...one(groups, subject.group),
    ...some(groups, subject.groups),
    ...none(groups, subject.notGroups),
    ...some(namespace, subject.namespaces),
    ...none(namespace, subject.notNamespaces),
    ...some(address, subject.ips),
    ...none(address, subject.notIps),
    ...Object.entries(subject.properties)
      .toSorted(([a], [b]) => compareTexts(a, b))
      .map(([key, value]) => property(key, value, fieldPath(path, "properties", key))),
  ];
  const when = reads.flatMap((each) => each.when ?? []);
  return {
    when,
    problems: [...reads.flatMap(({ problem }) => problem ?? []), ...when.flatMap((each) => refusals(each, path))],
  };
}

/** Everybody, with or without an identity. */
const isEverybody = (name: string) => name === "*" || name === "allUsers";
/** `*` in a condition needs an identity. */
const identity = (name: string) => (name === "allAuthenticatedUsers" ? "*" : name);

function user(name: string): readonly Read[] {
  return isEverybody(name) ? [] : one(principal, identity(name));
}

function named(names: readonly string[]): readonly Read[] {
  return names.some(isEverybody) ? [] : some(principal, names.map(identity));
}

function notNamed(names: readonly string[], path: string): readonly Read[] {
  if (names.some(isEverybody)) return [{ problem: grantsNothing(path, "it leaves nobody") }];
  return none(principal, names.map(identity));
}

function one(key: string, value: string): readonly Read[] {
  return some(key, value === "" ? [] : [value]);
}

function some(key: string, values: readonly string[]): readonly Read[] {
  return values.length === 0 ? [] : [{ when: { key, values: [...values] } }];
}

function none(key: string, notValues: readonly string[]): readonly Read[] {
  return notValues.length === 0 ? [] : [{ when: { key, notValues: [...notValues] } }];
}

const known =
  /^(?:source\.(?:principal|namespace|ip)|request\.auth\.(?:principal|audiences|presenter)|request\.(?:headers|auth\.claims)\[[^[\]]+\])$/u;

/** Other properties were compared with metadata that no filter writes, so they matched nothing. */
function property(key: string, value: string, path: string): Read {
  // The older name of the principal.
  if (key === "source.user") return { when: { key: principal, values: [value] } };
  if (known.test(key)) return { when: { key, values: [value] } };
  return { problem: grantsNothing(path, `an AuthorizationPolicy cannot match "${key}"`) };
}
