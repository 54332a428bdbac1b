/** Fields of a source, and whether only HTTP requests have what they are about. */
export const sourceFields = {
  principals: "tcp",
  requestPrincipals: "http",
  namespaces: "tcp",
  serviceAccounts: "tcp",
  trustDomains: "tcp",
  ipBlocks: "tcp",
  remoteIpBlocks: "tcp",
} as const;

export const operationFields = { hosts: "http", methods: "http", paths: "http", ports: "tcp" } as const;

/** Keys of conditions. */
export const conditionKeys = {
  "request.headers[x-a]": "http",
  "request.headers[X-Mixed]": "http",
  "destination.ip": "tcp",
  "source.ip": "tcp",
  "remote.ip": "tcp",
  "source.namespace": "tcp",
  "source.serviceAccount": "tcp",
  "source.principal": "tcp",
  "request.auth.principal": "http",
  "request.auth.audiences": "http",
  "request.auth.presenter": "http",
  "request.auth.claims[groups]": "http",
  "request.auth.claims[scope]": "http",
  "request.auth.claims[nested][role]": "http",
  "request.auth.claims[nested][deep][teams]": "http",
  "destination.port": "tcp",
  "connection.sni": "tcp",
} as const;

export type SourceField = keyof typeof sourceFields;
export type OperationField = keyof typeof operationFields;
export type ConditionKey = keyof typeof conditionKeys;

/** A list of values, or of values that must not match. */
export interface Demand<Field extends string> {
  readonly field: Field;
  readonly negative: boolean;
  readonly values: readonly string[];
}

/** All demands of a source or an operation have to hold. */
export type Demands<Field extends string> = readonly Demand<Field>[];

export interface TruthRule {
  /** One of them has to hold; without any, every caller. */
  readonly from: readonly Demands<SourceField>[];
  /** One of them has to hold; without any, every operation. */
  readonly to: readonly Demands<OperationField>[];
  /** All of them have to hold. */
  readonly when: readonly Demands<ConditionKey>[];
}

export interface TruthPolicy {
  readonly name: string;
  /** `elsewhere` selects another workload. */
  readonly level: "root" | "namespace" | "workload" | "elsewhere";
  readonly action: "ALLOW" | "DENY" | "AUDIT";
  readonly rules: readonly TruthRule[];
}

/** The policy as users write it. */
export function specOf({ level, action, rules }: TruthPolicy, app: string) {
  const label = level === "namespace" ? undefined : level === "elsewhere" ? `not-${app}` : app;
  return {
    ...(label !== undefined && { selector: { matchLabels: { app: label } } }),
    action,
    rules: rules.map(({ from, to, when }) => ({
      ...(from.length > 0 && { from: from.map((demands) => ({ source: fieldsOf(demands) })) }),
      ...(to.length > 0 && { to: to.map((demands) => ({ operation: fieldsOf(demands) })) }),
      ...(when.length > 0 && { when: when.map(conditionOf) }),
    })),
  };
}

/** `notPrincipals` is the negative form of `principals`. */
function fieldsOf(demands: Demands<string>): Record<string, string[]> {
  return Object.fromEntries(
    demands.map(({ field, negative, values }) => [
      negative ? `not${field.slice(0, 1).toUpperCase()}${field.slice(1)}` : field,
      [...values],
    ]),
  );
}

function conditionOf(demands: Demands<ConditionKey>) {
  const [first] = demands;
  return Object.assign(
    { key: first?.field ?? "" },
    ...demands.map(({ negative, values }) => ({ [negative ? "notValues" : "values"]: [...values] })),
  ) as { key: string };
}
