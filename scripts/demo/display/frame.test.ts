import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { Scene } from "../observed/scene.ts";
import { frame, type Size } from "./frame.ts";
import { lineText, paint } from "./line.ts";
import { brokenWeight, sampleFlow, sampleScene } from "./sample-scene.ts";

const usual: Size = { columns: 80, rows: 24 };

/** The visible screen. Every line reaches the right edge, so that it covers the earlier content. */
function seen(scene: Scene, size: Size = usual): string {
  const lines = frame(scene, size).map(lineText);
  expect(lines.map((line) => line.length)).toEqual(Array.from({ length: size.rows }, () => size.columns));
  return lines.map((line) => line.trimEnd()).join("\n");
}

test("the usual terminal has room for bars, pushes and problems", () => {
  expect(seen(sampleScene())).toBe(
    `\
binnacle demo  gRPC clients that need no proxy                           q quits
Open examples/bookinfo/reviews.yaml, change weight: 80 to weight: 20, and save.
The bars follow. Then write weight: lots and see the error; traffic goes on.

reviews for everybody  productpage-0 calls over gRPC              last 400 calls
  reviews-v1  ███████████████████████████████████████████████▊              80 %
  reviews-v2  ████████████▎                                                 20 %
  reviews-v3                                                                 0 %

reviews for jason  productpage-1 calls with end-user: jason       last 400 calls
  reviews-v1                                                                 0 %
  reviews-v2                                                                 0 %
  reviews-v3  ████████████████████████████████████████████████████████████ 100 %

pushed by the control plane                 more at http://127.0.0.1:41234/debug
  14:03:07  RDS routes     2016 bytes  2 clients      config, 41 ms after save
  14:03:01  EDS endpoints  1106 bytes  productpage-0  it asked






problems  none`,
  );
});

test("a problem is shown with its line at the bottom, and takes its room from the pushes", () => {
  const [event] = sampleScene().events;
  const events = Array.from({ length: 9 }, () => event).filter((each) => each !== undefined);
  const lines = seen(sampleScene({ events, problems: [brokenWeight] })).split("\n");
  expect(lines.slice(14).join("\n")).toBe(
    `\
pushed by the control plane                 more at http://127.0.0.1:41234/debug
  14:03:07  RDS routes     2016 bytes  2 clients      config, 41 ms after save
  14:03:07  RDS routes     2016 bytes  2 clients      config, 41 ms after save
  14:03:07  RDS routes     2016 bytes  2 clients      config, 41 ms after save

problem  examples/bookinfo/reviews.yaml:2:11     VirtualService bookinfo/reviews
     2 |           weight: lots
       |           ^^^^^^^^^^^^
  spec.http[1].route[0].weight: expected a number, found "lots"
  The last good version stays in force, and traffic goes on.`,
  );
});

test("before the first answer there is nothing to show", () => {
  const scene = sampleScene({ flows: [sampleFlow({})], events: [], debugPages: "" });
  expect(seen(scene, { columns: 80, rows: 12 })).toBe(
    `\
binnacle demo  gRPC clients that need no proxy                           q quits
Open examples/bookinfo/reviews.yaml, change weight: 80 to weight: 20, and save.
The bars follow. Then write weight: lots and see the error; traffic goes on.

reviews for everybody  productpage-0 calls over gRPC               no answer yet
  reviews-v1                                                                 0 %
  reviews-v2                                                                 0 %
  reviews-v3                                                                 0 %

pushed by the control plane

problems  none`,
  );
});

test("an unexpected workload gets a bar too, and so do failing calls", () => {
  const flow = sampleFlow({ "reviews-v1": 3, "ratings-v1": 40 }, { UNAVAILABLE: 50 });
  expect(
    seen(sampleScene({ flows: [flow] }))
      .split("\n")
      .slice(4, 11)
      .join("\n"),
  ).toBe(
    `\
reviews for everybody  productpage-0 calls over gRPC               last 93 calls
  reviews-v1  █▉                                                             3 %
  reviews-v2                                                                 0 %
  reviews-v3                                                                 0 %
  ratings-v1  █████████████████████████▊                                    43 %
  failed      ████████████████████████████████▎                             54 %
    UNAVAILABLE`,
  );
});

test("a problem of the control plane appears among its pushes", () => {
  const at = new Date(2026, 10, 16, 9, 5, 0).getTime();
  const events = [{ type: "trouble", at, text: "gateway-0 rejected LDS: cannot bind" } as const];
  expect(seen(sampleScene({ events }))).toContain("\n  09:05:00  gateway-0 rejected LDS: cannot bind\n");
});

test("shows the first of several problems, with its hint, and the number of the others", () => {
  const hinted = { ...brokenWeight, issue: { ...brokenWeight.issue, hint: 'did you mean "weight"?' } };
  expect(seen(sampleScene({ problems: [hinted, brokenWeight, brokenWeight] }))).toContain(
    `
  Hint: did you mean "weight"?
  The last good version stays in force, and traffic goes on.
  2 more: see /debug/issues.`,
  );
});

test("a warning blocks nothing, so no configuration is shown as kept", () => {
  const warning = { ...brokenWeight, issue: { ...brokenWeight.issue, severity: "warning" } as const };
  expect(seen(sampleScene({ problems: [warning] }))).not.toContain("last good version");
});

test.each([
  { columns: 40, rows: 10 },
  { columns: 20, rows: 3 },
  { columns: 200, rows: 60 },
])("fills a terminal of $columns columns and $rows rows, and not more", (size) => {
  expect(seen(sampleScene({ problems: [brokenWeight] }), size).split("\n")).toHaveLength(size.rows);
});

test("painting adds only colours", () => {
  const lines = frame(sampleScene({ problems: [brokenWeight] }), usual);
  const painted = lines.map(paint).join("\n");
  expect(painted).toContain("\u001B[31m");
  expect(stripVTControlCharacters(painted)).toBe(lines.map(lineText).join("\n"));
});
