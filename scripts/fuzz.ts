/**
 * `npm run fuzz [FACTOR] [FILE…]`: runs all property tests, or the given files, with many times their usual number of
 * cases. Default of FACTOR: 100. All use one seed, which is printed and can be set with BINNACLE_SEED. The number of
 * cases is the only bound.
 */
import { spawnSync } from "node:child_process";

const [given = "100", ...chosen] = process.argv.slice(2);
const factor = Number(given);
if (!Number.isInteger(factor) || factor < 1)
  throw new Error(`expected how many times the usual cases, found ${factor}`);

const properties = [
  "src/collection/oracle.test.ts",
  "src/lib/proto-writer/proto-writer.test.ts",
  "src/config/yaml/yaml.test.ts",
  "src/config/proto-json/proto-json.test.ts",
  "src/config/admission/admit-fuzz.test.ts",
  "src/xds/subscription/delta-truth.test.ts",
  "src/xds/subscription/retained.test.ts",
  "src/xds/wire/request.test.ts",
  "src/pilot/xds/generators/grpc/accepted-by-grpc-js.test.ts",
  "src/pilot/xds/generators/grpc/incremental.test.ts",
  "src/explain/explain.test.ts",
  "src/explain/listener/choose-chain.test.ts",
  "test/e2e/authorization-truth.test.ts",
  "test/e2e/explain-chains.test.ts",
  "test/e2e/explain-random.test.ts",
  "test/e2e/judged.test.ts",
  "test/e2e/re2.test.ts",
  "test/e2e/yaml-work.test.ts",
  "test/scenarios/authorization-truth.test.ts",
  "test/scenarios/conversion-truth.test.ts",
  "test/scenarios/envoy-constraints.test.ts",
  "test/scenarios/fresh-server.test.ts",
  "test/scenarios/galley-fuzz.test.ts",
  "test/scenarios/galley-truth.test.ts",
  "test/scenarios/mesh-truth.test.ts",
  "test/scenarios/order.test.ts",
  "test/scenarios/xds-truth.test.ts",
];
const files = chosen.length > 0 ? chosen : properties;
const env = { ...process.env, BINNACLE_FUZZ: String(factor) };
const result = spawnSync("vitest", ["run", "--testTimeout", "3600000", ...files], { stdio: "inherit", env });
process.exitCode = result.status ?? 1;
