import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding, type Remark } from "../../finding.ts";
import { isSubnet } from "../../grammar/address.ts";

/** The problem with one value of a list; undefined if the value is valid. */
export type ValueRule = (value: string) => Remark | undefined;

/** A list of values that are or-ed. None may be empty. */
export function values(list: readonly string[], path: string, rule: ValueRule = anyText): readonly Finding[] {
  return list.flatMap((value, index) => {
    const remark = value === "" ? empty : rule(value);
    return remark === undefined ? [] : errorUnless(false, fieldPath(path, index), remark);
  });
}

const empty: Remark = { code: "empty-value", message: "a value must not be empty" };

export function anyText(): undefined {
  return undefined;
}

export function subnet(value: string): Remark | undefined {
  return isSubnet(value)
    ? undefined
    : { code: "bad-address", message: `"${value}" is neither an address nor a subnet`, hint: "write 10.0.0.0/8" };
}

/** Ports are texts here, and 0 is allowed. */
export function port(value: string): Remark | undefined {
  const isPort = /^\d{1,10}$/u.test(value) && Number(value) <= 65_535;
  return isPort ? undefined : { code: "bad-port", message: `"${value}" is not a port` };
}

/** Exact, `prefix*`, `*suffix`, or `*` for "present". */
export function wildcard(value: string): Remark | undefined {
  const stars = value.split("*").length - 1;
  const isAtEnd = stars === 0 || value.startsWith("*") || value.endsWith("*");
  if (stars <= 1 && isAtEnd) return undefined;
  return { code: "bad-wildcard", message: `"${value}" may hold one "*", at its start or its end` };
}

export function trustDomain(value: string): Remark | undefined {
  return value.includes("/")
    ? { code: "bad-trust-domain", message: `"${value}" is not a trust domain` }
    : wildcard(value);
}

/** `account`, or `namespace/account`. */
export function serviceAccount(value: string): Remark | undefined {
  const parts = value.split("/");
  const isGood = parts.length <= 2 && !parts.includes("") && !value.includes("*") && value.length <= 320;
  return isGood
    ? undefined
    : { code: "bad-service-account", message: `"${value}" is not a service account`, hint: "write namespace/name" };
}
