import { expect, test } from "vitest";
import { plainLines } from "./plain-lines.ts";
import { brokenWeight, edited, sampleFlow, sampleScene } from "./sample-scene.ts";

const everybody = "everybody: 400 calls, reviews-v1 318 (80 %), reviews-v2 82 (20 %), reviews-v3 0 (0 %)";
const jason = "jason: 400 calls, reviews-v1 0 (0 %), reviews-v2 0 (0 %), reviews-v3 400 (100 %)";

test("the first lines have instructions, then pushes and answers", () => {
  expect(plainLines(undefined, sampleScene())).toEqual([
    "Open examples/bookinfo/reviews.yaml, change weight: 80 to weight: 20, and save.",
    "The bars follow. Then write weight: lots and see the error; traffic goes on.",
    "pushed: EDS endpoints, 1106 bytes to productpage-0: it asked",
    "pushed: RDS routes, 2016 bytes to 2 clients: config, 41 ms after save",
    everybody,
    jason,
  ]);
});

test("later lines have only news and traffic", () => {
  const before = sampleScene();
  expect(plainLines(before, before)).toEqual([everybody, jason]);
  const again = { ...edited };
  expect(plainLines(before, sampleScene({ events: [again, ...before.events] }))).toEqual([
    "pushed: RDS routes, 2016 bytes to 2 clients: config, 41 ms after save",
    everybody,
    jason,
  ]);
});

test("a problem is printed once with its line, and once when it is fixed", () => {
  const well = sampleScene({ flows: [] });
  const broken = sampleScene({ flows: [], problems: [brokenWeight] });
  const problem = [
    "problem: examples/bookinfo/reviews.yaml:2:11: error wrong-type VirtualService bookinfo/reviews " +
      'spec.http[1].route[0].weight: expected a number, found "lots"',
    "    2 |           weight: lots",
    "      |           ^^^^^^^^^^^^",
  ].join("\n");
  expect(plainLines(well, broken)).toEqual([problem]);
  expect(plainLines(broken, broken)).toEqual([]);
  expect(plainLines(broken, well)).toEqual(["mended: examples/bookinfo/reviews.yaml:2:11"]);
});

test("calls that fail are counted with their reasons", () => {
  const scene = sampleScene({ flows: [sampleFlow({ "reviews-v1": 150 }, { UNAVAILABLE: 50 })] });
  expect(plainLines(scene, scene)).toEqual([
    "everybody: 200 calls, reviews-v1 150 (75 %), reviews-v2 0 (0 %), reviews-v3 0 (0 %), failed 50 (25 %): UNAVAILABLE",
  ]);
});
