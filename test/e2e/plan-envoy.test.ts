import { expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { smallShop } from "../../src/testing/mesh/small-shop.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");

/** An EnvoyFilter that passes validation. Envoy looks at more than the rules in its protos. */
function patch(name: string, applyTo: string, value: object, operation = "MERGE"): string {
  const match = { context: applyTo === "HTTP_ROUTE" ? "GATEWAY" : "SIDECAR_OUTBOUND" };
  const configPatches = [{ applyTo, match, patch: { operation, value } }];
  const metadata = { name, namespace: "istio-system" };
  return JSON.stringify({
    apiVersion: "networking.istio.io/v1alpha3",
    kind: "EnvoyFilter",
    metadata,
    spec: { configPatches },
  });
}

const filter = {
  name: "lua",
  typed_config: {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
    default_source_code: { inline_string: "function (" },
  },
};
const balanced = { lb_policy: "CLUSTER_PROVIDED" };
const match = { match: { safe_regex: { regex: "(" } } };

async function planned(...objects: readonly string[]): Promise<Plan> {
  const path = await peerPath("envoy");
  using before = new MeshDir({ "mesh.yaml": smallShop });
  using after = new MeshDir({ "mesh.yaml": smallShop, "patches.yaml": objects.join("\n---\n") });
  const { stdout } = await runCommand(["plan", after.path, "--against", before.path, "--envoy", path, "-o", "json"]);
  return JSON.parse(stdout) as Plan;
}

function refusals({ risks }: Plan) {
  return risks.filter(({ code }) => code === "refused-by-envoy");
}

describeWithEnvoy("a plan that a real Envoy judges", () => {
  test("has no refusal of a mesh that it accepts", async () => {
    const plan = await planned(patch("fine", "CLUSTER", { connect_timeout: "3s" }));
    expect(plan.judged?.groups).toBeGreaterThan(1);
    expect(plan.judged?.left).toBe(0);
    expect(refusals(plan)).toEqual([]);
  });

  test.each([
    ["balanced", patch("balanced", "CLUSTER", balanced), "CDS", /cluster provided LB/u],
    ["script", patch("script", "HTTP_FILTER", filter, "INSERT_FIRST"), "LDS", /script load error/u],
    ["match", patch("match", "HTTP_ROUTE", match), "RDS", /missing \)/u],
  ])(
    "names the proxies, the resource, the patch with its line, and Envoy's words: %s",
    async (name, object, type, words) => {
      const found = refusals(await planned(object));
      expect(found.length).toBeGreaterThan(0);
      for (const { text, objects } of found) {
        expect(text).toMatch(words);
        expect(text).toMatch(
          new RegExp(
            `^Envoy refuses ${type} \\S+, from .*EnvoyFilter/istio-system/${name} \\(.*patches.yaml:1\\)`,
            "u",
          ),
        );
        expect(text).toMatch(/, at (?:sidecar|router)~/u);
        expect(objects).toContain(`EnvoyFilter/istio-system/${name}`);
      }
    },
  );
});
