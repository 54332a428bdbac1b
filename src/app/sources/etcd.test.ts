import { describe, expect, test } from "vitest";
import { MeshError } from "../../lib/errors.ts";
import { etcdPlace } from "./etcd.ts";
import { parseSourceUrl } from "./source-url.ts";

const placeAt = (url: string) => etcdPlace(parseSourceUrl(url));

describe("the URL of an etcd", () => {
  test("names its members and the prefix of all keys", () => {
    expect(placeAt("etcd://one:1,two,[::1]:3/mesh/blue/")).toEqual({
      hosts: ["one:1", "two:2379", "[::1]:3"],
      prefix: "/mesh/blue",
      tls: undefined,
      login: undefined,
      heartbeatMs: 5_000,
    });
  });

  test("may name credentials in files", () => {
    const query = "ca=ca.pem&cert=cert.pem&key=key.pem&user=mesh&password-file=password&heartbeat=1s";
    expect(placeAt(`etcds://one/mesh?${query}`)).toMatchObject({
      tls: { ca: "ca.pem", cert: "cert.pem", key: "key.pem" },
      login: { user: "mesh", passwordFile: "password" },
      heartbeatMs: 1_000,
    });
    expect(placeAt("etcds://one/mesh").tls).toEqual({ ca: undefined, cert: undefined, key: undefined });
  });

  test.each([
    ["etcd://one:2379", "expected etcd://HOST:PORT[,HOST:PORT]/PREFIX"],
    ["etcd://one:port/mesh", "expected etcd://HOST:PORT[,HOST:PORT]/PREFIX"],
    ["etcd:mesh", "expected etcd://HOST:PORT[,HOST:PORT]/PREFIX"],
    ["etcd://one/mesh?ca=ca.pem", "ca=, cert= and key= need etcds:"],
    ["etcds://one/mesh?cert=cert.pem", "cert= and key= must be set together"],
    ["etcd://one/mesh?user=mesh", "user= and password-file= must be set together"],
  ])("may not be %s: %s", (url, problem) => {
    expect(() => placeAt(url)).toThrow(problem);
  });

  test("may not contain a password, and the error does not repeat it", () => {
    const problem = "etcd: the URL must not contain a password; use ?user=NAME&password-file=FILE";
    expect(() => placeAt("etcd://mesh:secret@one/mesh")).toThrow(new MeshError("bad-option", problem));
  });
});
