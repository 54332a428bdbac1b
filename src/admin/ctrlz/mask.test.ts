import { describe, expect, test } from "vitest";
import { maskedArguments, maskedUnlessPlain } from "./mask.ts";

describe("the environment page", () => {
  test.each([
    ["DB_PASSWORD", "hunter2"],
    ["GITHUB_TOKEN", "abc"],
    ["AWS_SECRET_ACCESS_KEY", "abc"],
    ["API_KEY", "abc"],
    ["KEY", "abc"],
    ["MYSQL_PWD", "abc"],
    ["TLS_PRIVATE", "abc"],
    ["MYSQL_PASSPHRASE", "abc"],
    ["HTTP_AUTHORIZATION", "abc"],
    ["SESSION_ID", "abc"],
    ["DATABASE_URL", "postgres://user:hunter2@db/shop"],
    ["HTTPS_PROXY", "http://user:hunter2@proxy:3128"],
    ["PEM", "-----BEGIN CERTIFICATE-----"],
    ["HEADER", "Bearer abc"],
    ["JWT", "eyJhbGciOi.abc"],
  ])("hides %s", (name, value) => {
    expect(maskedUnlessPlain(name, value)).toBe("•••");
  });

  test.each([
    ["PATH", "/usr/bin:/bin"],
    ["BINNACLE_XDS", "127.0.0.1:15010"],
    ["HOME", "/root"],
    ["HTTPS_PROXY", "http://proxy:3128"],
    ["BINNACLE_SOURCE", "etcd://127.0.0.1:2379/mesh"],
  ])("shows %s", (name, value) => {
    expect(maskedUnlessPlain(name, value)).toBe(value);
  });
});

test("the command line hides the values of flags that look like secrets", () => {
  expect(
    maskedArguments(["node", "serve", "./mesh", "--api-key", "abc", "--token=abc=", "--xds", "off", "a://b:c@d"]),
  ).toEqual(["node", "serve", "./mesh", "--api-key", "•••", "--token=•••", "--xds", "off", "•••"]);
});
