import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { parseSourceUrl } from "./source-url.ts";
import { zooKeeperSource } from "./zookeeper.ts";

function make(url: string) {
  return zooKeeperSource(parseSourceUrl(url), { clock: new FakeClock() });
}

describe("a zookeeper: URL", () => {
  test.each([
    "zookeeper://one",
    "zookeeper://one:2181,10.0.0.2:2182/registries/dubbo/",
    "zookeeper://one/services?layout=curator&protocol=HTTP2&ignore-labels=a,b",
    "zookeeper://one/dubbo?mode=polling&refresh=5s&session-timeout=10s&parallel=20",
    "zookeeper://one/dubbo?debounce=50ms&naming=key&namespace=shop&host-suffix=.dubbo",
    "zookeeper://one/dubbo?recursive=off&refresh=1m",
    "zookeepers://one:2281,two/dubbo?ca=/ca&cert=/cert&key=/key&server-name=zookeeper.acme.com",
    "zookeeper://one/dubbo?port=80&instance-port=off&schemes=dubbo,tri",
    "zookeeper://one/dubbo?delete=delete&zombie-ttl=1h&empty-protection=on&endpoint-selectors=env=prod",
  ])("may be %s", (url) => {
    expect(make(url)).toMatchObject({ name: url, collections: ["k8s/networking.istio.io/v1alpha3/serviceentries"] });
  });

  test.each([
    ["zookeeper:one", "expected zookeeper://HOST:PORT[,HOST:PORT]/ROOT"],
    ["zookeeper:///dubbo", "expected zookeeper://HOST:PORT[,HOST:PORT]/ROOT"],
    ["zookeeper://[::1]:2181/dubbo", "with names or IPv4 addresses"],
    ["zookeeper://me:secret@one/dubbo", "with names or IPv4 addresses"],
    ["zookeeper://one/dubbo//x", "/dubbo//x is not a valid path of a node"],
    ["zookeeper://one/../x", "/../x is not a valid path of a node"],
    ["zookeeper://one/dubbo?instance-port=off", "instance-port=off needs port="],
    ["zookeeper://one/dubbo?parallel=0", "parallel= must be at least 1"],
    ["zookeeper://one/dubbo?user=me", "user= and password-file= must be set together"],
    ["zookeeper://one/dubbo?user=me&password-file=/nowhere", "password-file= cannot be read: ENOENT"],
    ["zookeeper://one/dubbo?ca=/ca", "ca=, cert=, key= and server-name= need zookeepers:"],
    ["zookeepers://one/dubbo?cert=/cert", "cert= and key= must be set together"],
    ["zookeepers:one", "expected zookeepers://HOST:PORT[,HOST:PORT]/ROOT"],
    ["zookeeper://one/dubbo?mode=guess", "expected one of watching, polling after mode="],
  ])("cannot be %s", (url, problem) => {
    expect(() => make(url)).toThrow(problem);
  });
});
