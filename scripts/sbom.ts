/**
 * `npm run sbom`: prints the bill of materials of the package in CycloneDX, and ends with 1 if it would contain code
 * under a licence that is not allowed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./build/bundle.ts";
import { bundledPackages, refusedPackages } from "./build/bundled-packages.ts";
import { sbomText } from "./build/sbom.ts";

const folder = mkdtempSync(join(tmpdir(), "binnacle-sbom-"));
try {
  const packages = bundledPackages(await bundle(folder, { sourceMaps: false }));
  process.stdout.write(sbomText(packages));
  for (const refused of refusedPackages(packages)) {
    process.stderr.write(`licence not allowed: ${refused}\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
