import { describe, expect, test } from "vitest";
import { blameFor } from "./blame.ts";

const reviews = { name: "outbound|9080||reviews.default.svc.cluster.local" };
const reviewsV1 = { name: "outbound|9080|v1|reviews.default.svc.cluster.local" };
const ratings = { name: "outbound|9080||ratings.default.svc.cluster.local" };
const clusters = [reviews, reviewsV1, ratings];

describe("the resource that a rejection blames", () => {
  test("is read from each clause of the message", () => {
    const reason = `Error adding/updating cluster(s) ${reviews.name}: no such file, or none to read, ${ratings.name}: bad name: x`;
    expect(blameFor(reason, clusters)).toEqual([
      { message: "no such file, or none to read", suspects: [reviews] },
      { message: "bad name: x", suspects: [ratings] },
    ]);
  });

  test("keeps the order of the clauses; a name inside a clause starts no new clause", () => {
    const bad = `${ratings.name}: needs ${reviews.name}: none`;
    const reason = `Error adding/updating cluster(s) ${bad}, ${reviews.name}: bad name`;
    expect(blameFor(reason, clusters)).toEqual([
      { message: `needs ${reviews.name}: none`, suspects: [ratings] },
      { message: "bad name", suspects: [reviews] },
    ]);
  });

  test("is found in the whole message if it has no heading", () => {
    const reason = `${reviews.name}: bad name`;
    expect(blameFor(reason, clusters)).toEqual([{ message: reason, suspects: [reviews] }]);
  });

  test("is never a resource without a name", () => {
    const table = { name: "" };
    expect(blameFor("bad table", [table, reviews])).toEqual([{ message: "bad table", suspects: [table, reviews] }]);
  });

  test("is read from each line for listeners", () => {
    const [http, tcp] = [{ name: "0.0.0.0_8080" }, { name: "0.0.0.0_90" }];
    const reason = "Error adding/updating listener(s) 0.0.0.0_8080: error adding listener: bad filter\n";
    expect(blameFor(reason, [http, tcp])).toEqual([{ message: "error adding listener: bad filter", suspects: [http] }]);
  });

  test("is the route that the message names, and not a route whose name is part of another", () => {
    const [short, long] = [{ name: "http.80" }, { name: "http.8080" }];
    const reason = "Only unique values for domains are permitted. Duplicate entry of domain a in route http.8080";
    expect(blameFor(reason, [short, long])).toEqual([{ message: reason, suspects: [long] }]);
  });

  test("may be any new resource if the message names none", () => {
    expect(blameFor("invalid repetition size: {2000}", clusters)).toEqual([
      { message: "invalid repetition size: {2000}", suspects: clusters },
    ]);
  });

  test("is matched literally, also if its name looks like a pattern", () => {
    const odd = { name: "a(b" };
    expect(blameFor("cluster a(b is bad", [odd, reviews])).toEqual([
      { message: "cluster a(b is bad", suspects: [odd] },
    ]);
  });

  test("is none if nothing was new", () => {
    expect(blameFor("too late", [])).toEqual([{ message: "too late", suspects: [] }]);
  });
});
