import { describe, expect, test } from "vitest";
import {
  isDnsLabel,
  isFqdn,
  isLabelKey,
  isLabelValue,
  isNamespaceName,
  isObjectName,
  isWildcardDomain,
} from "./names.ts";

const long = "a".repeat(64);

describe("names", () => {
  test.each([
    [isDnsLabel, ["a", "A1", "a-b", "1"], ["", "-a", "a-", "a.b", "a_b", long]],
    [isFqdn, ["a", "a.b.c", "a.b.", "1.a"], ["", "a..b", "10.0.0.1", "*.a", ".a", `${long}.a`, "a.".repeat(128)]],
    [isWildcardDomain, ["*", "*.a.b", "*a.b", "*-a.b", "*x", "a.b"], ["a.*.b", "*.", "**", "*.*.a", "a*", "*-", ""]],
    [isObjectName, ["a", "a.b-c", "v1.2"], ["", "A", "a_b", "a..b", "-a", "a/b", "a".repeat(254)]],
    [isNamespaceName, ["a", "kube-system"], ["", "a.b", "Shop", long]],
    [isLabelKey, ["app", "app.kubernetes.io/name", "a_b.C"], ["", "/a", "a/", "a/b/c", "A.b/c/", "-a", long]],
    [isLabelValue, ["", "v1", "a_b.C-d"], ["-a", "a b", "a/b", "*", long]],
  ])("%o accepts and refuses", (accepts, good, bad) => {
    expect(good.filter((text) => !accepts(text))).toEqual([]);
    expect(bad.filter((text) => accepts(text))).toEqual([]);
  });
});
