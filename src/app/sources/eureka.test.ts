import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { defaultOptions } from "../options.ts";
import { sourcesFrom } from "./sources.ts";

function sourceOf(url: string) {
  const [source] = sourcesFrom({ ...defaultOptions(), sources: [url] }, new FakeClock());
  return source;
}

test("a Eureka registry is named as it was written, without its password", () => {
  const plain = "eureka+http://one:8761,two:8761/eureka?refreshPeriod=5s&nsHost=off&maxDrop=20";
  expect(sourceOf(plain)?.name).toBe(plain);
  expect(sourceOf("eureka+https://user:secret@one/eureka")?.name).toBe("eureka+https://one/eureka");
});

test("it fills ServiceEntries", () => {
  expect(sourceOf("eureka+http://one:8761/eureka")?.collections).toEqual([
    "k8s/networking.istio.io/v1alpha3/serviceentries",
  ]);
});

test.each([
  ["eureka+http:", "names no server"],
  ["eureka+http://one:port/eureka", '"one:port" is not HOST:PORT'],
  ["eureka+http://one,/eureka", "is not HOST:PORT"],
  ["eureka+http://one?maxDrop=101", "expected a number from 0 to 100 after maxDrop="],
  ["eureka+http://one?svcProtocol=THRIFT", "expected a protocol such as HTTP"],
  ["eureka+http://one?svcPort=0&instancePortAsSvcPort=off", "without svcPort the ports of instances"],
  ["eureka+http://one?refresh=5s", "refresh is not one of its settings"],
])("%s is refused", (url, problem) => {
  expect(() => sourceOf(url)).toThrow(problem);
});
