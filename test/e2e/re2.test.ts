import fc from "fast-check";
import { expect, test } from "vitest";
import { maxProgramSize } from "../../src/config/grammar/re2/program-limit.ts";
import { readExpression } from "../../src/config/grammar/re2/read-expression.ts";
import { expressionArbitrary } from "../../src/testing/random/expression-arbitrary.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { describeWith } from "./support/peers.ts";
import { askRe2, type Re2Answer } from "./support/re2.ts";

const describeWithRe2 = await describeWith("re2");

/** What only `re2js` refuses: notations that nobody writes, and programs that it takes for too large. */
const stricter =
  /^(?:invalid escape sequence: `\\C`|invalid named capture|duplicate capture group name|invalid repeat count)/u;

/** A program is estimated too large by this factor at most, so that a larger one is too large in truth. */
const tolerance = 4;

/** Undefined where both say the same. */
function disagreement(pattern: string, real: Re2Answer): string | undefined {
  const read = readExpression(pattern);
  if (read.type === "bad") {
    const isLarge = read.reason.includes("program") && "size" in real && real.size > maxProgramSize / tolerance;
    return "error" in real || isLarge || stricter.test(read.reason) ? undefined : `refused: ${read.reason}`;
  }
  if ("error" in real) return `accepted, but RE2 says: ${real.error}`;
  if (read.groups !== real.groups) return `${read.groups} groups instead of ${real.groups}`;
  return read.programSize >= real.size ? undefined : `size ${read.programSize} instead of ${real.size}`;
}

describeWithRe2("regular expressions", () => {
  // `npm run fuzz 50 test/e2e/re2.test.ts` asks of 100 000.
  test("are accepted only if RE2 accepts them, and their programs are not taken for smaller than they are", async () => {
    const patterns = fc.sample(expressionArbitrary, { seed, numRuns: runs(2000) });
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
