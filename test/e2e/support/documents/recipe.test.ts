import { expect, test } from "vitest";
import { firstMissing, readRecipe } from "./recipe.ts";

const document = `# Title
\`\`\`yaml file=mesh/a.yaml
kind: A
\`\`\`
1. First:
   \`\`\`sh terminal
   serve ./mesh
   \`\`\`
   It says:
   \`\`\`text
   ready: …
   \`\`\`
\`\`\`sh eventually
curl x
\`\`\`
\`\`\`sh skip: the packages are there
npm install
\`\`\`
\`\`\`json
{}
\`\`\`
`;

test("a document is read as steps", () => {
  expect(readRecipe(document)).toEqual([
    { type: "write", line: 2, path: "mesh/a.yaml", content: "kind: A\n" },
    { type: "terminal", line: 6, script: "serve ./mesh\n", output: ["ready: …"] },
    { type: "run", line: 13, script: "curl x\n", eventually: true, output: [] },
  ]);
});

test("expected lines match in order, with gaps and wildcards", () => {
  expect(firstMissing(["a …", "c"], "x\na b\nb\n  c\n")).toBeUndefined();
  expect(firstMissing(["c", "a …"], "a b\nc\n")).toBe("a …");
  expect(firstMissing(["a.c"], "abc\n")).toBe("a.c");
});
