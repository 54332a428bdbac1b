import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

const run = promisify(execFile);

/** The environment of an istioctl without a cluster. */
export const offline = {
  env: { ...process.env, KUBECONFIG: "/dev/null", ENABLE_NATIVE_SIDECARS: "false" },
  maxBuffer: 1 << 26,
};

interface ConfigMap {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}

/** The settings of Istio's injection as its installation writes them: the templates, the values, the MeshConfig. */
export async function istioInstallation(istioctl: string): Promise<Record<"config" | "values" | "mesh", string>> {
  const settings = ["--set", "values.global.hub=istio", "--set", "values.global.tag=1.29.6"];
  const { stdout } = await run(istioctl, ["manifest", "generate", ...settings], offline);
  const maps = parseAllDocuments(stdout).map((document) => document.toJS() as ConfigMap | null);
  const data = (name: string) => maps.find((map) => map?.kind === "ConfigMap" && map.metadata.name === name)?.data;
  const { config = "", values = "" } = data("istio-sidecar-injector") ?? {};
  return { config, values, mesh: data("istio")?.["mesh"] ?? "" };
}
