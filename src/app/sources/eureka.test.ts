import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { defaultOptions } from "../options/options.ts";
import { sourcesFrom } from "./sources.ts";

function sourceOf(url: string) {
  const [source] = sourcesFrom({ ...defaultOptions(), sources: [url] }, new FakeClock());
  return source;
}

test("a Eureka registry is named as it was written", () => {
  const url = "eureka+http://one:8761,two:8761/eureka?refresh=5s&namespace-host=off&max-drop=20";
  expect(sourceOf(url)?.name).toBe(url);
});

test("a Eureka source fills only ServiceEntries", () => {
  expect(sourceOf("eureka+https://one:8761/eureka")?.collections).toEqual([
    "k8s/networking.istio.io/v1alpha3/serviceentries",
  ]);
});

test.each([
  ["eureka+http:", "expected eureka+http://HOST:PORT[,HOST:PORT]/PATH"],
  ["eureka+http://one:port/eureka", "expected eureka+http://HOST:PORT"],
  ["eureka+http://one,/eureka", "expected eureka+http://HOST:PORT"],
  ["eureka+http://user:secret@one/eureka", "credentials are ?user=NAME&password-file=FILE"],
  ["eureka+http://one?user=me", "user= and password-file= must be set together"],
  ["eureka+http://one?user=me&password-file=/nowhere", "password-file= cannot be read"],
  ["eureka+http://one?max-drop=101", "expected a number from 0 to 100 after max-drop="],
  ["eureka+http://one?protocol=THRIFT", "expected a protocol such as HTTP"],
  ["eureka+http://one?port=0&instance-port=off", "instance-port=off needs port="],
  ["eureka+http://one?refreshPeriod=5s", "unknown setting refreshPeriod"],
])("%s is refused", (url, problem) => {
  expect(() => sourceOf(url)).toThrow(problem);
});
