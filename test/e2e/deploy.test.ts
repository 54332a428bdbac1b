import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { readArguments } from "../../src/app/options/flags.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { readOptions } from "../../src/app/options/read-options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { kubeRefusalStore } from "../../src/app/quarantine/quarantine-store.ts";
import { sourcesFrom } from "../../src/app/sources/sources.ts";
import { serverFlags } from "../../src/cli/flags/server-flags.ts";
import type { Kind } from "../../src/config/kind.ts";
import { kindByCollection } from "../../src/config/kinds.ts";
import { KubeClient } from "../../src/kube/kube-client.ts";
import { Supervisor } from "../../src/lib/supervisor.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { binnacle, ended } from "./support/binnacle/command.ts";
import { manifests, readManifest } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { statusDefinition } from "./support/kube/status-definition.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeWithKube = await describeWith("kube", "helm");

const chart = resolve(manifests, "../helm/binnacle");

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly env: readonly { readonly name: string }[];
        }[];
      };
    };
  };
}

/** The parts of the manifests that we look at, by their files. */
interface Manifests {
  readonly "cluster-role.yaml": { readonly rules: readonly Rule[] };
  readonly "role.yaml": { readonly rules: readonly Rule[] };
  readonly "deployment.yaml": Deployment;
  readonly "webhook.yaml": {
    readonly metadata: { readonly name: string };
    readonly webhooks: readonly { readonly rules: readonly Rule[] }[];
  };
}

function manifest<File extends keyof Manifests>(file: File): Manifests[File] {
  return readManifest(file)[0] as unknown as Manifests[File];
}

/** The kinds that a server with our flags reads from a cluster. */
const kinds: readonly Kind[] = sourcesFrom({ ...defaultOptions(), sources: ["kube:"] }, new FakeClock())
  .flatMap(({ collections }) => collections)
  .flatMap((collection) => kindByCollection(collection) ?? []);

/** `GROUP/RESOURCE` of every kind, wherever it is served. */
function namesOf({ group, aliases = [], plural }: Kind): readonly string[] {
  return [group, ...aliases.map((alias) => alias.split("/")[0])].map((each) => `${each}/${plural}`);
}

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();
const [container] = manifest("deployment.yaml").spec.template.spec.containers;

const [command = "", ...args] = container?.args ?? [];
const options = readOptions({
  arguments: readArguments(args, serverFlags),
  env: { POD_NAMESPACE: "binnacle-system" },
  readFile: () => "",
});

describe("the manifests for Kubernetes", () => {
  const { rules } = manifest("cluster-role.yaml");
  const allowed = (verb: string) =>
    sorted(
      rules
        .filter(({ verbs, resourceNames }) => verbs.includes(verb) && resourceNames === undefined)
        .flatMap(({ apiGroups, resources }) =>
          apiGroups.flatMap((group) => resources.map((each) => `${group}/${each}`)),
        ),
    );
  const custom = kinds.filter(({ builtIn }) => !builtIn);

  test("allow list and watch for exactly the kinds that the server reads", () => {
    expect(allowed("list")).toEqual(sorted(kinds.flatMap(namesOf)));
    expect(allowed("watch")).toEqual(allowed("list"));
    // Nothing but certificates in Secrets is used, and no other verb is allowed.
    expect(["get", "create", "update", "patch"].filter((verb) => allowed(verb).includes("/secrets"))).toEqual([]);
  });

  test("allow writing the status of Istio objects, and reading these objects", () => {
    expect(allowed("get")).toEqual(sorted(custom.flatMap(namesOf)));
    expect(allowed("patch")).toEqual(sorted(custom.map(({ group }) => `${group}/*/status`)));
  });

  test("allow creating only TokenReviews, and Leases, one ConfigMap and dry runs in the server's namespace", () => {
    const own = manifest("role.yaml").rules;
    expect(allowed("create")).toEqual(["authentication.k8s.io/tokenreviews"]);
    expect(own.filter(({ verbs }) => verbs.includes("create")).flatMap(({ resources }) => resources)).toEqual([
      "leases",
      "configmaps",
      "gateways",
    ]);
    // A right to create cannot be limited to a name. Reading and writing can.
    const ofConfigMaps = own.filter(({ resources }) => resources.includes("configmaps"));
    expect(ofConfigMaps).toMatchObject([
      { verbs: ["create"] },
      { verbs: ["get", "patch"], resourceNames: ["binnacle-quarantine"] },
    ]);
    const verbs = sorted([...rules, ...own].flatMap((rule) => rule.verbs));
    expect(verbs).toEqual(["create", "get", "list", "patch", "watch"]);
  });

  test("allow the certificate authority its own Secret, Lease and ConfigMaps, and no other ones by name", () => {
    const roles = readManifest("authority.yaml").filter((object) => "rules" in object) as unknown as readonly {
      readonly rules: readonly Rule[];
    }[];
    const rights = roles.flatMap(({ rules: each }) =>
      each.map(
        ({ resources, resourceNames = ["any"], verbs }) =>
          `${verbs.join()} ${resources.join()}: ${resourceNames.join()}`,
      ),
    );
    expect(rights).toEqual([
      "create configmaps: any",
      "get,patch configmaps: istio-ca-root-cert",
      "create secrets: any",
      "get,list,patch,watch secrets: istio-ca-secret",
      "get,patch leases: binnacle-root-certificates",
    ]);
  });

  test("register the webhook for every validated kind", () => {
    const { webhooks } = manifest("webhook.yaml");
    const asked = webhooks.flatMap(({ rules: each }) =>
      each.flatMap(({ apiGroups, resources }) =>
        apiGroups.flatMap((group) => resources.map((one) => `${group}/${one}`)),
      ),
    );
    expect(sorted(asked)).toEqual(sorted(custom.flatMap(namesOf)));
  });

  test("start the server with existing flags, on the declared ports", () => {
    expect(command).toBe("serve");
    const { xds, xdsTls, webhook, metrics, http } = options;
    const listening = [xds, xdsTls, webhook, metrics, http].map((address) => Number(address.slice(1)));
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual(listening);
    expect(options).toMatchObject({
      sources: ["kube:"],
      tokenReview: true,
      analysisStatus: true,
      webhookConfig: manifest("webhook.yaml").metadata.name,
      leaseNamespace: "binnacle-system",
    });
  });

  test("have the released version, and so has the chart", () => {
    const { images } = parse(readFileSync(resolve(manifests, "kustomization.yaml"), "utf8")) as {
      readonly images: readonly { readonly newTag: string }[];
    };
    const { version } = JSON.parse(readFileSync(resolve(manifests, "../../package.json"), "utf8")) as {
      readonly version: string;
    };
    expect(images).toEqual([{ name: "binnacle", newTag: version }]);
    expect(parse(readFileSync(resolve(chart, "Chart.yaml"), "utf8"))).toMatchObject({ version, appVersion: version });
  });

  test("and the chart have the same rights and webhooks: UPDATE_DOCS=1 copies them", () => {
    const copies = readdirSync(resolve(chart, "files"));
    if (process.env["UPDATE_DOCS"] === "1")
      for (const file of copies) copyFileSync(resolve(manifests, file), resolve(chart, "files", file));
    expect(copies.length).toBeGreaterThan(0);
    for (const file of copies)
      expect(readFileSync(resolve(chart, "files", file), "utf8")).toBe(readFileSync(resolve(manifests, file), "utf8"));
  });
});

/** Only the chart sets these labels. */
const chartLabels: ReadonlySet<string> = new Set([
  "app.kubernetes.io/instance",
  "app.kubernetes.io/managed-by",
  "app.kubernetes.io/version",
  "helm.sh/chart",
]);

interface Labelled {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** The objects of a stream of YAML by kind and name, without the labels of the chart. */
function objectsOf(text: string): ReadonlyMap<string, Labelled> {
  const objects = parseAllDocuments(text).flatMap((document) => (document.toJS() as Labelled | null) ?? []);
  return new Map(
    objects.map((object) => {
      const labels = Object.fromEntries(
        Object.entries(object.metadata.labels ?? {}).filter(([name]) => !chartLabels.has(name)),
      );
      return [`${object.kind} ${object.metadata.name}`, { ...object, metadata: { ...object.metadata, labels } }];
    }),
  );
}

const gatewayDefinition = statusDefinition({ kind: "Gateway", plural: "gateways" }, "typed");

describeWithKube("kubectl apply -k", () => {
  const rig = shared(async (resources) => resources.use(await Kube.start()));
  const apply = async (...more: readonly string[]) => {
    const { code, output } = await rig().kubectl(["apply", "-k", manifests, ...more]);
    return { code, outcomes: sorted(output.split("\n").map((line) => line.split(" ").slice(1).join(" "))), output };
  };

  test("is accepted by a real API server, and changes nothing the second time", async () => {
    const first = await apply();
    expect(first).toMatchObject({ code: 0, outcomes: ["created"] });
    expect(first.output.split("\n").length).toBe(10);
    expect((await apply("--dry-run=server")).code).toBe(0);
    expect((await apply()).code).toBe(0);
    const { body } = await rig().call("GET", "/apis/apps/v1/namespaces/binnacle-system/deployments/binnacle");
    expect(body["metadata"]).toMatchObject({ generation: 1 });
  });

  test.each(["authority", "machines"])("accepts the rights in %s.yaml after it", async (name) => {
    const file = resolve(manifests, `${name}.yaml`);
    expect(await rig().kubectl(["apply", "--dry-run=server", "--validate=strict", "-f", file])).toMatchObject({
      code: 0,
    });
  });

  test("creates pods that satisfy the restricted Pod Security Standard", async () => {
    const { template } = manifest("deployment.yaml").spec;
    const pod = { metadata: { name: "one" }, spec: template.spec };
    const pods = "/api/v1/namespaces/binnacle-system/pods?dryRun=All";
    expect(await rig().call("POST", pods, pod)).toMatchObject({ status: 201, warnings: [] });
    const [first, ...rest] = template.spec.containers;
    const root = { ...first, securityContext: { runAsUser: 0 } };
    const { body } = await rig().call("POST", pods, {
      ...pod,
      spec: { ...template.spec, containers: [root, ...rest] },
    });
    expect(body["message"]).toContain('violates PodSecurity "restricted:latest"');
  });

  test("runs with its flags and its service account, and lacks no permission", async () => {
    using authority = await TestAuthority.create();
    const { certificateChain, privateKey, rootCertificates } = await authority.issueServer("binnacle");
    const files = { "tls.crt": certificateChain, "tls.key": privateKey, "ca.crt": rootCertificates };
    await rig().call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gatewayDefinition);
    const flags = (container?.args ?? []).map((arg) =>
      arg
        .replace(/=:\d+$/u, "=127.0.0.1:0")
        .replace(/\/etc\/binnacle\/tls\/(.*)$/u, (_, file: keyof typeof files) => files[file]),
    );
    const env = {
      ...process.env,
      POD_NAMESPACE: "binnacle-system",
      KUBECONFIG: await rig().kubeconfigOf("binnacle-system", "binnacle"),
    };
    await using child = binnacle([...flags, "--ctrlz=off"], { env });
    await child.line(/^ready: /u, { seconds: 30 });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/binnacle-system/leases";
    for (const name of ["binnacle-analysis", "binnacle-webhook"]) {
      const isHeld = async () => (await rig().call("GET", `${leases}/${name}`)).status === 200;
      await eventually(`the Lease ${name}`, isHeld, { seconds: 20 });
    }
    // It is told apart what is missing: a Service without endpoints here, and no right.
    await child.logged("webhook not called yet");
    expect(child.linesLike(/forbidden|cannot/u)).toEqual([]);
  });

  test("lets its service account create, read, replace and watch its own ConfigMap, and no other one", async () => {
    const supervisor = new Supervisor({ clock: systemClock, onFailure: () => undefined });
    const kubeconfig = await rig().kubeconfigOf("binnacle-system", "binnacle");
    using client = new KubeClient({ kubeconfig, context: undefined }, systemClock);
    const open = (name: string) =>
      kubeRefusalStore({ client, namespace: "binnacle-system" }, name, supervisor.clockFor("test"));
    const own = open(options.quarantineStore.replace("configmap:", ""));
    const heard: string[] = [];
    const watch = own.watch(
      () => heard.push("change"),
      (error) => heard.push(String(error)),
    );
    const { revision } = await own.replace(undefined, "first");
    const replaced = await own.replace(revision, "second");
    expect([replaced.content, await own.read()]).toEqual(["second", replaced]);
    await eventually("a watch", () => heard.length > 0, { seconds: 20 });
    watch.stop();
    expect(heard.filter((each) => each !== "change")).toEqual([]);
    await expect(open("kube-root-ca.crt").read()).rejects.toThrow("forbidden");
  });

  test("keeps the fields that Binnacle fills in, and passes strict validation", async () => {
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/binnacle";
    const caBundle = Buffer.from("authority").toString("base64");
    const { body } = await rig().call("GET", path);
    const [webhook] = body["webhooks"] as readonly { readonly clientConfig: object }[];
    const filled = { ...webhook, clientConfig: { ...webhook?.clientConfig, caBundle } };
    await rig().call("PUT", path, { ...body, webhooks: [filled] });
    expect((await apply("--server-side", "--force-conflicts", "--validate=strict")).code).toBe(0);
    const { webhooks } = (await rig().call("GET", path)).body as {
      readonly webhooks: readonly { readonly clientConfig: { readonly caBundle: string } }[];
    };
    expect(webhooks[0]?.clientConfig.caBundle).toBe(caBundle);
  });

  const helm = async (...args: readonly string[]) =>
    await ended(await peerPath("helm"), [
      ...args,
      "--namespace",
      "binnacle-system",
      "--kubeconfig",
      rig().kubeconfig("admin"),
    ]);

  test("gives the objects that the chart gives with its defaults, which has no Namespace", async () => {
    const lint = await helm("lint", "--strict", chart);
    expect({ code: lint.code, stderr: lint.stderr }).toEqual({ code: 0, stderr: "" });
    const { stdout } = await helm("template", "binnacle", chart);
    const { output } = await rig().kubectl(["kustomize", manifests]);
    const wanted = new Map(objectsOf(output));
    expect(wanted.delete("Namespace binnacle-system")).toBe(true);
    const found = objectsOf(stdout);
    expect(sorted(found.keys())).toEqual(sorted(wanted.keys()));
    for (const [name, object] of wanted) expect(found.get(name)).toEqual(object);
  });

  test("gives way to the chart, which takes its objects over without a new pod, follows values, and can be removed", async () => {
    const path = "/apis/apps/v1/namespaces/binnacle-system/deployments/binnacle";
    const template = async () =>
      ((await rig().call("GET", path)).body["spec"] as { readonly template: object }).template;
    const before = await template();
    expect(await helm("install", "binnacle", chart, "--take-ownership")).toMatchObject({ code: 0 });
    expect(await template()).toEqual(before);

    const features = ["authority", "injector", "machines"].flatMap((name) => ["--set", `features.${name}=true`]);
    const values = ["--set", "replicas=3", "--set", "extraArgs={--ca=secret:istio-ca-secret}", ...features];
    expect(await helm("upgrade", "binnacle", chart, ...values)).toMatchObject({ code: 0 });
    expect((await rig().call("GET", path)).body["spec"]).toMatchObject({ replicas: 3 });
    const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/binnacle-authority";
    expect((await rig().call("GET", role)).status).toBe(200);

    expect(await helm("uninstall", "binnacle", "--wait=false")).toMatchObject({ code: 0 });
    expect((await rig().call("GET", role)).status).toBe(404);
  });

  test.each([
    ["replicas=none", "replicas"],
    ["image.pullPolicy=Sometimes", "pullPolicy"],
    ["extraArgs={serve}", "extraArgs"],
    ["replicaCount=3", "replicaCount"],
  ])("comes with a chart that refuses %s, and names the value", async (value, name) => {
    const { code, stderr } = await helm("template", "binnacle", chart, "--set", value);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(name) });
  });
});
