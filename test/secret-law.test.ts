import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** The only files that see the content of Secrets. Read a new one with care: nothing of the content may be shown. */
const readers = [
  "src/app/ca/file-root-store.ts",
  "src/app/ca/root-secret.ts",
  "src/app/ca/shared-root-store.ts",
  "src/ca/authority.ts",
  "src/ca/roots.ts",
  "src/config/analysis/analyzers/gateway/gateway-credentials.ts",
  "src/config/credential/credential-parts.ts",
  "src/config/credential/other-bytes.ts",
  "src/config/credential/sealed-parts.ts",
  "src/config/kinds/secret.ts",
  "src/pilot/networking/extension/build-extension-config.ts",
  "src/pilot/networking/secret/build-secret.ts",
  "src/testing/ca/made-authority.ts",
  "src/testing/ca/signing.ts",
];

test("only the listed files reveal the content of Secrets", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const found = files.filter((file) => readFileSync(join(root, file), "utf8").includes(".reveal()"));
  expect(found.toSorted()).toEqual(readers);
});
