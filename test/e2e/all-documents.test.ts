import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { istioDocuments } from "../../src/testing/config/istio-documents.ts";
import { describeWithData, istioData } from "../../src/testing/shared-data.ts";
import type { DocumentVerdict } from "./all-documents/accept.ts";
import { describeWithNetwork } from "./support/peers.ts";

const script = join(import.meta.dirname, "all-documents/accept.ts");

const describeWithEnvoys = await describeWithNetwork("envoy");

describeWithData(istioData, "every document of Istio", () => {
  describeWithEnvoys("served one after the other", () => {
    test("is accepted by a real router and a real sidecar", async () => {
      const inOwnNetwork = `ip link set lo up && exec "${process.execPath}" "${script}"`;
      const { stdout } = await promisify(execFile)("unshare", ["-rn", "sh", "-c", inOwnNetwork], { timeout: 110_000 });
      const verdicts = JSON.parse(stdout) as readonly DocumentVerdict[];
      expect(verdicts).toEqual(istioDocuments({ services: 20 }).map(({ name }) => ({ name, troubles: [] })));
    });
  });
});
