import { describe, expect, test } from "vitest";
import { createControlPlane } from "../control-plane.ts";
import { defaultOptions, type Options } from "../options/options.ts";

const nowhere = { kubeconfig: "/nowhere/kubeconfig" };

function madeWith(settings: Partial<Options>): () => unknown {
  return () => createControlPlane({ ...defaultOptions(), ...settings });
}

describe("a feature that needs a cluster", () => {
  test.each<[string, Partial<Options>, string]>([
    ["analysis in status", { analysisStatus: true }, "--analysis-status needs a --source kube:"],
    ["the webhook's registration", { webhookConfig: "binnacle" }, "--webhook-config needs --webhook"],
  ])("reports wrong usage: %s", (_, settings, message) => {
    expect(madeWith(settings)).toThrow(message);
  });

  test.each<[string, Partial<Options>]>([
    ["analysis-status", { analysisStatus: true, sources: ["kube:"] }],
    [
      "webhook-config",
      { webhook: "127.0.0.1:0", webhookConfig: "binnacle", webhookCert: "tls.crt", webhookKey: "tls.key" },
    ],
    ["token-review", { tokenReview: true }],
  ])("reports a missing cluster under its own flag: --%s", (flag, settings) => {
    expect(madeWith({ ...settings, ...nowhere })).toThrow(`--${flag}: cannot use the kubeconfig /nowhere/kubeconfig`);
  });
});
