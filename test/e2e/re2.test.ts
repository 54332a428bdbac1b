import fc from "fast-check";
import { expect, test } from "vitest";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { maxProgramSize } from "../../src/config/grammar/re2/program-limit.ts";
import { readExpression } from "../../src/config/grammar/re2/read-expression.ts";
import { regex } from "../../src/config/rules/regex.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { makeResource } from "../../src/pilot/networking/make-resource.ts";
import { expressionArbitrary } from "../../src/testing/random/expression-arbitrary.ts";
import { runs, steadySeed } from "../../src/testing/random/seed.ts";
import { EnvoyJudge } from "./judged/envoy-judge.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { describeWith } from "./support/peers.ts";
import { askRe2, type Re2Answer } from "./support/re2.ts";

const describeWithRe2 = await describeWith("re2");
const describeWithEnvoy = await describeWith("envoy");

/** Expressions that only `re2js` rejects: unusual notations, and programs whose size it overestimates. */
const stricter =
  /^(?:invalid escape sequence: `\\C`|invalid named capture|duplicate capture group name|invalid repeat count)/u;

/** The largest factor by which a program's size is overestimated. Beyond it a program is really too large. */
const tolerance = 4;

/** Undefined where both agree. */
function disagreement(pattern: string, real: Re2Answer): string | undefined {
  const read = readExpression(pattern);
  if (read.type === "bad") {
    const isLarge = read.reason.includes("instructions") && "size" in real && real.size > maxProgramSize / tolerance;
    return "error" in real || isLarge || stricter.test(read.reason) ? undefined : `refused: ${read.reason}`;
  }
  if ("error" in real) return `accepted, but RE2 says: ${real.error}`;
  if (read.groups !== real.groups) return `${read.groups} groups instead of ${real.groups}`;
  return read.programSize >= real.size ? undefined : `size ${read.programSize} instead of ${real.size}`;
}

describeWithRe2("regular expressions", () => {
  // `npm run fuzz 50 test/e2e/re2.test.ts` tries 100 000 expressions.
  test("are accepted only if RE2 accepts them, and the size of their programs is never underestimated", async () => {
    const patterns = fc.sample(expressionArbitrary, { seed: steadySeed(4242), numRuns: runs(2000) });
    const answers = await askRe2(patterns);
    expect(answers).toHaveLength(patterns.length);
    const wrong = patterns.flatMap((pattern, index) => {
      const why = disagreement(pattern, answers[index] ?? { error: "no answer" });
      return why === undefined ? [] : [`${JSON.stringify(pattern)}: ${why}`];
    });
    expect(wrong).toEqual([]);
    const accepted = answers.filter((answer) => "size" in answer).length;
    expect(accepted).toBeGreaterThan(patterns.length / 5);
    expect(accepted).toBeLessThan((patterns.length * 4) / 5);
  });
});

/** A route for each expression. */
function routesFor(patterns: readonly string[]) {
  const writer = new ProtoWriter();
  const routes = patterns.map((pattern) => ({
    match: { pathSpecifier: { case: "safeRegex", value: { regex: pattern } } } as const,
    action: { case: "directResponse", value: { status: 200 } } as const,
  }));
  const virtualHosts = [{ name: "all", domains: ["*"], routes }];
  const any = writer.any(RouteConfigurationSchema, { name: "judged", virtualHosts });
  return new Map([["RDS", [makeResource({ name: "judged", any, owners: [] })]]]);
}

/** Findings of any severity, or of errors alone. */
function findings(pattern: string, severities: readonly string[]): number {
  return regex(pattern, "").filter(({ severity }) => severities.includes(severity)).length;
}

describeWithEnvoy("routes with regular expressions", () => {
  test.each([
    ["ours", ["error"]],
    ["stock", ["error", "warning"]],
  ] as const)(
    "are accepted by an Envoy with a bootstrap that is %s, unless we find %j",
    async (runtime, severities) => {
      const patterns = fc
        .sample(expressionArbitrary, { seed: steadySeed(4242), numRuns: runs(1000) })
        .filter((pattern) => findings(pattern, severities) === 0);
      expect(patterns.length).toBeGreaterThan(100);
      await using judge = await EnvoyJudge.start(gatewayNode, { runtime });
      for (let from = 0; from < patterns.length; from += 500) {
        expect(await judge.judge(routesFor([...patterns.slice(from, from + 500), "a{90}"]))).toEqual([]);
      }
      const [rejection = ""] = await judge.judge(
        routesFor([runtime === "ours" ? `(?:${"a".repeat(40)}){1000}` : "a{100}"]),
      );
      expect(rejection).toContain("max program size");
    },
  );
});
